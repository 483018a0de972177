#!/usr/bin/env bash
# Installs into an empty folder, moves it, and builds tools/examples against it in each way that the README
# names; every build must print the contents of embed.out.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$BERTH_BUILD" --prefix "$work/first" >"$work/log"
mv "$work/first" "$work/prefix" # nothing may remember where it was installed
prefix=$work/prefix
expected=$BERTH_SOURCE/tests/install/embed.out

check() {
  local name=$1
  shift
  if ! "$@" | diff "$expected" -; then
    echo "$name: the output differs from embed.out" >&2
    exit 1
  fi
  echo "$name: ok"
}

"$prefix/bin/berth" --version >"$work/version"
grep -q "$(pkg-config --modversion "$prefix/$LIBDIR/pkgconfig/berth.pc")" "$work/version"
if "$prefix/bin/berth" run --help >/dev/null 2>&1; then
  "$prefix/bin/kubectl-berth" --version | diff "$work/version" -
  "$prefix/bin/kubectl_complete-berth" sch | grep -q '^schedule'
fi

cmake -S "$BERTH_SOURCE/tools/examples" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$prefix" \
  -DCMAKE_BUILD_TYPE=Release >>"$work/log"
cmake --build "$work/cmake" >>"$work/log"
check cmake-shared "$work/cmake/embed"
check cmake-static "$work/cmake/embed_static"
for example in own_plugin what_if scheduler_loop branches gang_queue consolidate informer_copy; do
  if ! "$work/cmake/$example" | diff "$BERTH_SOURCE/tests/install/$example.out" -; then
    echo "$example: the output differs from $example.out" >&2
    exit 1
  fi
done

export PKG_CONFIG_PATH=$prefix/$LIBDIR/pkgconfig
source=$BERTH_SOURCE/tools/examples/embed.c
read -ra flags <<<"$(pkg-config --cflags --libs berth)"
"$CC" "$source" "${flags[@]}" -o "$work/shared"
check pkg-config-shared env LD_LIBRARY_PATH="$prefix/$LIBDIR" "$work/shared"

read -ra flags <<<"$(pkg-config --static --cflags --libs berth)"
"$CC" "$source" "${flags[@]/#-lberth/-l:libberth.a}" -o "$work/static"
check pkg-config-static "$work/static"

# The example in the head of berth.h compiles without a warning and says where pods go.
sed -n '/^ \*     #include/,/^ \* Conventions/p' "$prefix/include/berth/berth.h" | sed -nE 's/^ \*( {5}|$)//p' >"$work/example.c"
"$CC" -std=c11 -Wall -Wextra -Werror "$work/example.c" "${flags[@]/#-lberth/-l:libberth.a}" -o "$work/example"
cat >"$work/cluster.yaml" <<'YAML'
{kind: List, apiVersion: v1, items: [
  {apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: 2, memory: 4Gi, pods: 9}}},
  {apiVersion: v1, kind: Pod, metadata: {name: small}, spec: {containers: [{name: c, resources: {requests: {cpu: 1}}}]}},
  {apiVersion: v1, kind: Pod, metadata: {name: large}, spec: {containers: [{name: c, resources: {requests: {cpu: 8}}}]}}]}
YAML
"$work/example" "$work/cluster.yaml" >"$work/lines"
if ! grep -qx 'small: n1' "$work/lines" || ! grep -q '^large: 0/1 nodes are available: 1 Insufficient cpu' "$work/lines"; then
  echo "the example of berth.h printed:" >&2
  cat "$work/lines" >&2
  exit 1
fi
