#!/usr/bin/env bash
# must_fail.sh counts only a failure of a test as a caught mutant.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

failures=0
# judged VERDICT COMMAND...: checks that must_fail.sh passes (0) or fails (1) for the command.
judged() {
  local wanted=$1 code=0
  shift
  bash must_fail.sh "$@" >/dev/null || code=$?
  if ((code != wanted)); then
    echo "FAILED: $*: $code, expected $wanted"
    failures=1
  fi
}
judged 0 sh -c 'exit 1'
judged 0 sh -c 'exit 66'
judged 0 sh -c 'kill -ABRT $$'
judged 0 sh -c 'kill -SEGV $$'
judged 0 sh -c 'echo " 2 FAILED TEST(S)"; exit 2'
judged 1 sh -c 'echo " 3 FAILED TEST(S)"; exit 2'
judged 1 true
judged 1 sh -c 'exit 2'
judged 1 sh -c 'exit 77'
judged 1 sh -c 'kill -KILL $$'
judged 1 ./no-such-program
judged 1 ./must_fail.patch
exit $failures
