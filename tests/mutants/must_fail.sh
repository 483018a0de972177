#!/usr/bin/env bash
# Passes if the test program fails as a test fails, so that a mutant counts as caught: with exit code 1,
# with 66 of ThreadSanitizer, or by SIGABRT (134: an assertion), SIGBUS (135) or SIGSEGV (139). A usage
# error (2), a skip (77), a program that cannot run (126, 127) or one killed from outside proves nothing
# about the mutant.
"$@" >/dev/null 2>&1
code=$?
case $code in
  0) echo "it survives" ;;
  1 | 66 | 134 | 135 | 139)
    echo "it ended with $code"
    exit 0
    ;;
  *) echo "it ended with $code, which is no failure of a test" ;;
esac
exit 1
