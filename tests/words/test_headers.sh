#!/usr/bin/env bash
# Rules of the public headers: a call that can fail has a berth_error as its last argument, and
# tests/unit/test_errors.c makes it fail; no struct has an array whose length is an enum's present
# number of values; every struct with a size has an init, or says who sets the size.
set -euo pipefail
cd "$BERTH_SOURCE"

bad=0
complain() {
  echo "$*" >&2
  bad=1
}

# Each declaration on a line of its own, without comments and line breaks.
declarations=$(cat engine/include/berth/*.h | tr '\n' ' ' | sed -E 's,/\*([^*]|\*[^/])*\*/,,g' |
  tr ';' '\n' | grep -oE 'BERTH_API berth_status .*')
fallible=0
while read -r declaration; do
  name=$(grep -oE 'berth_[a-z_]+ *\(' <<<"$declaration" | head -n 1 | tr -d ' (')
  fallible=$((fallible + 1))
  [[ $declaration == *'berth_error *error)' ]] ||
    complain "$name can fail, and its last parameter is no berth_error *error"
  # A function that takes a struct's size is called through the inline function of its name.
  grep -qE "\b(${name}|${name%_sized})\(" tests/unit/test_errors.c ||
    complain "$name can fail, and tests/unit/test_errors.c does not call it"
done <<<"$declarations"
((fallible > 40)) || complain "only $fallible calls that can fail were found"

if grep -nE '\[BERTH_[A-Z_]+_COUNT\]' engine/include/berth/*.h; then
  complain "a public array is as long as an enum: one more constant would move what follows it"
fi

echo "$fallible calls"
((bad == 0))
