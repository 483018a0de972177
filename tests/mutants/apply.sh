#!/usr/bin/env bash
# A mutant of one source file: the file with the patch applied. Where the patch no longer applies, the
# file as it is: the build goes on, the mutant survives, and mutants_in_step says why.
# Usage: apply.sh PATCH SOURCE COPY
set -euo pipefail
mkdir -p "$(dirname "$3")"
if ! patch --batch --silent --fuzz=0 --reject-file=- --output="$3" "$2" "$1"; then
  echo "$1 does not apply to $2 any more" >&2
  cp "$2" "$3"
fi
rm -f "$3.orig"
touch "$3"
