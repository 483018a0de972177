#!/usr/bin/env bash
# berth.hpp as installed: each of the C++ headers compiles alone, with the warnings that projects turn on;
# cpp_check.cc calls every class; the example prints the contents of embed_cpp.out.
# shellcheck source=tests/install/installed.sh
. ./installed.sh
export PKG_CONFIG_PATH=$work/prefix/$LIBDIR/pkgconfig LD_LIBRARY_PATH=$work/prefix/$LIBDIR
read -ra flags <<<"$(pkg-config --cflags --libs berth)"
warnings=(-std=c++17 -Wall -Wextra -Wold-style-cast -Wshadow -Wconversion -Werror)

count=0
for header in "$work"/prefix/include/berth/*.hpp; do
  echo "#include <berth/${header##*/}>" >"$work/alone.cc"
  "$CXX" "${warnings[@]}" -fsyntax-only "$work/alone.cc" "${flags[@]}"
  count=$((count + 1))
done
((count >= 3))

"$CXX" "${warnings[@]}" "$BERTH_SOURCE/tests/install/cpp_check.cc" "${flags[@]}" -o "$work/check"
"$work/check"
"$CXX" "${warnings[@]}" "$BERTH_SOURCE/tools/examples/embed_cpp.cc" "${flags[@]}" -o "$work/example"
"$work/example" | diff "$BERTH_SOURCE/tests/install/embed_cpp.out" -
echo "$count headers"
