#!/usr/bin/env bash
# Passes if the command fails, in whatever way but by not being there.
"$@" >/dev/null 2>&1
code=$?
echo "it ended with $code"
[[ $code -ne 0 && $code -ne 126 && $code -ne 127 ]]
