#!/usr/bin/env bash
# Every installed header compiles alone, as C11 and as C++17, without a warning, with only the installed
# folder on the include path.
# shellcheck source=tests/install/installed.sh
. ./installed.sh
cd "$work/prefix/include"
count=0
for header in berth/*.h; do
  warnings=(-Wall -Wextra -Werror -fsyntax-only -I.)
  echo "#include <$header>" >"$work/alone.c"
  "$CC" -std=c11 -Wpedantic -Wstrict-prototypes "${warnings[@]}" "$work/alone.c"
  cp "$work/alone.c" "$work/alone.cc"
  "$CXX" -std=c++17 "${warnings[@]}" "$work/alone.cc"
  count=$((count + 1))
done
((count >= 6))
printf '%s\n' '#include <berth/berth.h>' 'berth_str cpu() { return BERTH_STR("cpu"); }' >"$work/cast.cc"
"$CXX" -std=c++17 -Wall -Wextra -Wold-style-cast -Werror -fsyntax-only -I. "$work/cast.cc"
echo "$count headers"
