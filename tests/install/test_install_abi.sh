#!/usr/bin/env bash
# The ABI of libberth.so equals engine/package/libberth.abi: functions, their parameters, the layout of
# every public struct, the values of every constant.
# Usage: test_install_abi.sh [--renew]   --renew rewrites the dump, from $BERTH_BUILD or build/
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
library=${BERTH_BUILD:-$root/build}/lib/libberth.so
kept=$root/engine/package/libberth.abi

skip() {
  echo "skipped: $1"
  exit 77
}
command -v abidw >/dev/null || skip "abidw is not installed (Debian: abigail-tools)"
[[ $(uname -m) == x86_64 ]] || skip "the dump is of x86-64"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Public types are those of the headers. All others are opaque to an embedder and left out, as are
# places in files, so that the dump changes only with the ABI.
abidw --exported-interfaces-only --headers-dir "$root/engine/include" --drop-private-types \
  --no-show-locs --no-corpus-path --no-comp-dir-path --no-elf-needed --type-id-style hash \
  "$library" | sed "s,path='$root/,path='," >"$work/built.abi"

nm --dynamic --defined-only --format=posix "$library" | cut -d ' ' -f 1 | sort -u >"$work/exported"
grep -oE "<function-decl name='berth_[a-z0-9_]+'" "$work/built.abi" | cut -d "'" -f 2 |
  sort -u >"$work/typed"
[[ -s $work/typed ]] || skip "the library was built without debug information"
if ! diff "$work/exported" "$work/typed" >&2; then
  echo "their types are not in the debug information: see engine/CMakeLists.txt" >&2
  exit 1
fi

if [[ ${1:-} == --renew ]]; then
  cp "$work/built.abi" "$kept"
  echo "$kept: $(wc -l <"$work/typed") functions"
  exit 0
fi
status=0
abidiff --harmless --headers-dir1 "$root/engine/include" \
  --headers-dir2 "$root/engine/include" "$kept" \
  "$work/built.abi" >"$work/report" || status=$?
if ((status != 0)); then
  cat "$work/report" >&2
  if (((status & 8) != 0)); then
    echo "embedders that were built before will break: raise the version of the project, too" >&2
  fi
  echo "to take this as the ABI: bash tests/install/test_install_abi.sh --renew" >&2
  exit 1
fi
echo "$(wc -l <"$work/typed") functions"
