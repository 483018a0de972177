#!/usr/bin/env bash
# The examples in C and C++ make no mistake with memory: each runs under valgrind or, in a build with
# sanitizers, is compiled with these, and prints what is committed in tests/install/NAME.out.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
flags=(-g -O1 -I"$BERTH_SOURCE/engine/include" -L"$BERTH_BUILD/lib" -pthread)
run=()
if [[ -n ${SANITIZE:-} ]]; then
  flags+=(-fsanitize="$SANITIZE" -fno-omit-frame-pointer)
elif command -v valgrind >/dev/null; then
  # jemalloc is not linked, because valgrind watches the C library's allocator.
  run=(valgrind --quiet --error-exitcode=9 --leak-check=full "--show-leak-kinds=definite,indirect"
    "--errors-for-leak-kinds=definite,indirect")
else
  echo "skipped: there is no valgrind; to run it: tools/setup"
  exit 77
fi
export LD_LIBRARY_PATH=$BERTH_BUILD/lib

count=0 failed=0
for source in "$BERTH_SOURCE"/tools/examples/*.c "$BERTH_SOURCE"/tools/examples/*.cc; do
  name=$(basename "${source%.*}")
  if [[ $source == *.cc ]]; then
    "$CXX" -std=c++17 "$source" "${flags[@]}" -lberth -o "$work/$name"
  else
    "$CC" -std=c11 -D_GNU_SOURCE "$source" "${flags[@]}" -lberth -o "$work/$name"
  fi
  code=0
  "${run[@]}" "$work/$name" >"$work/out" 2>"$work/err" || code=$?
  if [[ $code != 0 ]] || ! diff "$BERTH_SOURCE/tests/install/$name.out" "$work/out"; then
    cat "$work/err" >&2
    echo "$name: exit code $code" >&2
    failed=1
  fi
  count=$((count + 1))
done
((count >= 9)) || {
  echo "only $count examples were found" >&2
  exit 1
}
echo "$count examples, ${SANITIZE:-valgrind}"
exit "$failed"
