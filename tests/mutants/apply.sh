#!/usr/bin/env bash
# Makes a mutant of one source file: a copy with the patch applied. If the patch no longer applies, the copy
# is the file itself: the build continues, the mutant survives, and mutants_in_step reports the reason.
# Usage: apply.sh PATCH SOURCE COPY
set -euo pipefail
mkdir -p "$(dirname "$3")"
if ! patch --batch --silent --fuzz=0 --reject-file=- --output="$3" "$2" "$1"; then
  echo "$1 does not apply to $2 any more" >&2
  cp "$2" "$3"
fi
rm -f "$3.orig"
touch "$3"
