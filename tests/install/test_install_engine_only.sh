#!/usr/bin/env bash
# An engine without JSON, YAML and hwloc: it is built without a C++ compiler and installed, and an embedder
# built against it needs only the C library.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
cmake -S "$BERTH_SOURCE" -B "$work/build" -DBERTH_KUBE=OFF -DBERTH_HWLOC=OFF \
  -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_COMPILER="$CC" -DCMAKE_CXX_COMPILER=/bin/false \
  -DCMAKE_INSTALL_LIBDIR=lib -DBERTH_WERROR=ON >"$work/log"
cmake --build "$work/build" --parallel 2 >>"$work/log" || {
  tail -n 40 "$work/log" >&2
  exit 1
}
cmake --install "$work/build" --prefix "$prefix" >>"$work/log"
[[ ! -e $prefix/include/berth/kube.h && ! -e $prefix/bin/berth ]]

source=$BERTH_SOURCE/tests/install/engine_only.c
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
read -ra flags <<<"$(pkg-config --cflags --libs berth)"
"$CC" -Wall -Wextra -Werror "$source" "${flags[@]}" -o "$work/shared"
read -ra flags <<<"$(pkg-config --static --cflags --libs berth)"
"$CC" -Wall -Wextra -Werror "$source" "${flags[@]/#-lberth/-l:libberth.a}" -o "$work/static"

version=$(sed -nE 's/^project\(berth VERSION ([0-9]+\.[0-9]+).*/\1/p' "$BERTH_SOURCE/CMakeLists.txt")
mkdir "$work/project"
cat >"$work/project/CMakeLists.txt" <<EOF
cmake_minimum_required(VERSION 3.25)
project(engine_only LANGUAGES C)
find_package(berth $version REQUIRED COMPONENTS shared static)
find_package(berth $version QUIET COMPONENTS kube)
if(berth_FOUND)
  message(FATAL_ERROR "the component kube is not there")
endif()
add_executable(cmake_static $source)
target_link_libraries(cmake_static PRIVATE berth::berth_static)
EOF
cmake -S "$work/project" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$prefix" >>"$work/log"
cmake --build "$work/cmake" >>"$work/log"

export LD_LIBRARY_PATH=$prefix/lib
for program in "$work/shared" "$work/static" "$work/cmake/cmake_static"; do
  if ! "$program" | diff "$BERTH_SOURCE/tests/install/engine_only.out" -; then
    echo "$program: the output differs from engine_only.out" >&2
    exit 1
  fi
  if ldd "$program" | grep -vE 'linux-vdso|ld-linux|lib(c|m|berth)\.so'; then
    echo "$program needs more than the C library" >&2
    exit 1
  fi
  echo "$(basename "$program"): ok"
done
