#!/usr/bin/env bash
# Passes if the test program fails as a test fails, so that a mutant counts as caught: with exit code 1,
# with 66 of ThreadSanitizer, or by SIGABRT (134: an assertion), SIGBUS (135) or SIGSEGV (139); or with the
# number of failed tests, which it then names, as cmocka does. A usage error (2), a skip (77), a program
# that cannot run (126, 127) or one killed from outside proves nothing about the mutant.
output=$(mktemp)
trap 'rm -f "$output"' EXIT
"$@" >"$output" 2>&1
code=$?
failed=$(sed -n 's/^ *\([0-9]*\) FAILED TEST(S)$/\1/p' "$output")
case $code in
  0) echo "it survives" ;;
  1 | 66 | 134 | 135 | 139 | "$failed")
    echo "it ended with $code"
    exit 0
    ;;
  *) echo "it ended with $code, which is no failure of a test" ;;
esac
exit 1
