#!/usr/bin/env bash
# The same sources always build the same bytes, wherever and whenever they are built: library and
# program are built twice, from copies in two folders, and compared.
set -euo pipefail

kind=$(sed -nE 's/^CMAKE_BUILD_TYPE:[A-Z]+=(.*)$/\1/p' "$BERTH_BUILD/CMakeCache.txt")
if [[ $kind == Debug ]]; then
  echo "skipped: names of folders are in the debug information of Debug builds"
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The options of this build matter, too: all that begin with BERTH_ or choose a compiler.
options=()
while IFS= read -r line; do
  options+=("-D$line")
done < <(grep -E '^(BERTH_[A-Z_]+|CMAKE_(C|CXX)_(COMPILER|FLAGS)|CMAKE_BUILD_TYPE):' "$BERTH_BUILD/CMakeCache.txt" |
  grep -vE '^BERTH_(TESTS|BENCH|SHARED|HAS_[A-Za-z_]+):|:(INTERNAL|STATIC)=')

export CCACHE_DISABLE=1 # both builds must really compile

# build SOURCES FOLDER
build() {
  local part
  mkdir -p "$1"
  for part in CMakeLists.txt engine tools README.md LICENSE; do
    cp -r "$BERTH_SOURCE/$part" "$1/"
  done
  if ! { cmake -S "$1" -B "$2" -G Ninja "${options[@]}" -DBERTH_TESTS=OFF -DBERTH_BENCH=OFF &&
    cmake --build "$2" --target berth berth_shared berth_static; } >"$work/log" 2>&1; then
    cat "$work/log"
    exit 1
  fi
}
build "$work/one" "$work/one/build"
build "$work/another place/for it" "$work/made"

failed=0
for file in lib/libberth.so lib/libberth.a bin/berth; do
  if cmp "$work/one/build/$file" "$work/made/$file"; then
    echo "$file: the same bytes"
  else
    failed=1
  fi
  if grep -qaF "$work" "$work/made/$file"; then
    echo "FAILED: $file names the folder it was built from"
    failed=1
  fi
done
exit "$failed"
