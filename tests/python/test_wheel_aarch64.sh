#!/usr/bin/env bash
# The wheel that tools/wheel makes for aarch64, tried with qemu-user and Debian's Python for aarch64: the tests
# pass, except that of the speed.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/python/python.sh
source "$here/python.sh"
for program in aarch64-linux-gnu-g++ qemu-aarch64; do
  command -v "$program" >/dev/null || skip "there is no $program; to run it: tools/setup --cross"
done
python=$(usable venv ensurepip) || skip "no Python of 3.9 or later has venv and its headers (tools/setup)"

folder=$BERTH_BUILD/python/aarch64
tree=$folder/cross
mkdir -p "$folder"
wheel=$(PYTHON=$python "$BERTH_SOURCE/tools/wheel" "$folder" --cross "$tree" 2>"$folder/log") || {
  if grep -qE "packages cannot be had|can't be had from PyPI|lists of arm64" "$folder/log"; then
    skip "$(tail -n 1 "$folder/log")"
  fi
  cat "$folder/log"
  exit 1
}
rm -rf "$folder/site"
"$python" -m zipfile --extract "$wheel" "$folder/site"
extension=$folder/site/berth/_native.abi3.so
readelf --file-header "$extension" | grep -q 'Machine: *AArch64' || {
  echo "python: $wheel is not for aarch64"
  exit 1
}
# shellcheck source=tests/install/hardened.sh
source "$BERTH_SOURCE/tests/install/hardened.sh"
hardened "$extension"
((failed == 0)) || exit 1

root=$tree/root
export PYTHONHOME=$root/usr PYTHONPATH=$folder/site:$root/usr/lib/python3/dist-packages
export PYTHONDONTWRITEBYTECODE=1 PYTHONFAULTHANDLER=1 BERTH_EMULATED=1
cd "$here"
shopt -s extglob
tests=(test_!(speed).py)
qemu-aarch64 "$root/lib/ld-linux-aarch64.so.1" \
  --library-path "$root/lib/aarch64-linux-gnu:$root/usr/lib/aarch64-linux-gnu" \
  "$root/usr/bin/python3" -m unittest "${tests[@]}"
echo "python: $(basename "$wheel")"
