#!/usr/bin/env bash
# libberth.so exports exactly the functions that the public headers declare with BERTH_API.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for header in "$BERTH_SOURCE"/engine/include/berth/*.h; do
  echo "#include \"$header\""
done |
  "$CC" -E -P -I"$BERTH_SOURCE/engine/include" -x c - |
  tr '\n' ' ' | tr ';' '\n' | grep -F 'visibility("default")' |
  grep -oE '\bberth_[a-z0-9_]+\(' | tr -d '(' | sort -u >"$work/declared"
nm --dynamic --defined-only --format=posix "$BERTH_BUILD/lib/libberth.so" |
  cut -d ' ' -f 1 | sort -u >"$work/exported"
test -s "$work/declared"
diff "$work/declared" "$work/exported"
echo "$(wc -l <"$work/exported") symbols"
