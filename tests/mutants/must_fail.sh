#!/usr/bin/env bash
# Passes if the command fails, in whatever way but by not being there: a mutant is caught.
"$@" >/dev/null 2>&1
code=$?
if [[ $code -eq 0 ]]; then
  echo "it survives"
else
  echo "it ended with $code"
fi
[[ $code -ne 0 && $code -ne 126 && $code -ne 127 ]]
