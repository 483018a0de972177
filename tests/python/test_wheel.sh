#!/usr/bin/env bash
# The wheel as users make it: pip wheel from the source tree, installed in a separate environment, where the
# tests pass. Then the wheel of tools/wheel, which has the libraries inside: it is installed where there is no
# compiler.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/python/python.sh
source "$here/python.sh"
python=$(usable venv ensurepip) || skip "no Python of 3.9 or later has venv and its headers (tools/setup)"

folder=$BERTH_BUILD/python/wheel
rm -rf "$folder/venv" "$folder/out"
mkdir -p "$folder"
"$python" -m venv "$folder/venv" >"$folder/log" 2>&1 || skip "no environment can be made: $(tail -n 1 "$folder/log")"
pip=("$folder/venv/bin/python" -m pip --disable-pip-version-check --no-input)
"${pip[@]}" download --quiet --dest "$folder/parts" 'scikit-build-core>=0.10' 'cffi>=1.15' \
  >"$folder/log" 2>&1 || skip "PyPI can't be reached: $(tail -n 1 "$folder/log")"

"${pip[@]}" wheel --find-links "$folder/parts" --no-deps --wheel-dir "$folder/out" \
  --config-settings=build-dir="$folder/build" "$BERTH_SOURCE/engine/bindings/python" \
  >"$folder/log" 2>&1 || {
  cat "$folder/log"
  exit 1
}
wheels=("$folder"/out/berth-*-cp39-abi3-linux_*.whl)
[[ -f ${wheels[0]} ]] || {
  ls "$folder/out"
  exit 1
}
"${pip[@]}" install --quiet --find-links "$folder/parts" "${wheels[0]}"
files=$("$python" -m zipfile --list "${wheels[0]}")
for wanted in berth/__init__.py berth/_native.abi3.so berth/py.typed; do
  grep -q "^$wanted " <<<"$files" || {
    echo "python: the wheel lacks $wanted"
    exit 1
  }
done
if grep -E '\.(h|c|a|cmake) ' <<<"$files"; then
  echo "python: the above has no place in the wheel"
  exit 1
fi

export PYTHONDONTWRITEBYTECODE=1 PYTHONFAULTHANDLER=1
unset PYTHONPATH
cd "$here"
"$folder/venv/bin/python" -m unittest discover

# ---- the wheel for other machines ----

repaired=$(PYTHON=$python "$BERTH_SOURCE/tools/wheel" "$folder/manylinux" --find-links "$folder/parts")

rm -rf "$folder/clean"
"$python" -m venv "$folder/clean"
# No program can be called but those of the environment: neither a compiler nor cmake.
env -i PATH="$folder/clean/bin" "$folder/clean/bin/python" -m pip --disable-pip-version-check --no-input \
  install --quiet --no-index --find-links "$folder/parts" --only-binary :all: "$repaired"
site=$("$folder/clean/bin/python" -c 'import berth, os; print(os.path.realpath(os.path.join(berth.__file__, "../..")))')

# Everything but the C library, and what manylinux lets count as a part of it, comes from the wheel.
while read -r name _ path _; do
  case $name in
    linux-vdso.* | libc.so.* | libm.so.* | libpthread.so.* | libdl.so.* | librt.so.* | libz.so.* | \
      libstdc++.so.* | libgcc_s.so.* | *ld-linux*) continue ;;
  esac
  [[ $(realpath "$path") == "$site"/berth.libs/* ]] || {
    echo "python: $name comes from the machine: $path"
    exit 1
  }
done < <(ldd "$site/berth/_native.abi3.so")

# shellcheck source=tests/install/hardened.sh
source "$BERTH_SOURCE/tests/install/hardened.sh"
hardened "$site/berth/_native.abi3.so"
((failed == 0)) || exit 1
"$folder/clean/bin/python" -m unittest discover
echo "python: $(basename "$repaired")"
