#!/usr/bin/env bash
# Library and program are built so that memory bugs are hard to exploit: they can be loaded at any
# address, tables of functions are read-only once they are filled, the stack is not executable,
# arrays on the stack are guarded, and copies by the C library are bounded. Checks a Release build
# by this compiler.
set -euo pipefail

if ! grep -qE '^CMAKE_BUILD_TYPE:[A-Z]+=(Release|RelWithDebInfo|MinSizeRel)$' "$BERTH_BUILD/CMakeCache.txt"; then
  echo "skipped: the options are those of optimized builds"
  exit 77
fi
failed=0

# holds FILE WHAT TEXT PATTERN: checks that a line of the text matches.
holds() {
  if ! grep -qE -- "$4" <<<"$3"; then
    echo "FAILED: $1: no $2"
    failed=1
  fi
}

for file in "$BERTH_BUILD/lib/libberth.so" "$BERTH_BUILD/bin/berth"; do
  parts=$(readelf --wide --program-headers "$file")
  tags=$(readelf --wide --dynamic "$file")
  symbols=$(readelf --wide --dyn-syms "$file")
  holds "$file" "position-independent code" "$parts" 'Elf file type is DYN'
  holds "$file" "segment that is read-only once relocated (RELRO)" "$parts" '^ *GNU_RELRO '
  holds "$file" "binding at the start (BIND_NOW)" "$tags" 'BIND_NOW|FLAGS_1.*NOW'
  holds "$file" "stack without the right to be run" "$parts" '^ *GNU_STACK .* RW +0'
  holds "$file" "guarded stack frame" "$symbols" ' __stack_chk_fail'
  holds "$file" "bounded copy (FORTIFY)" "$symbols" ' __[a-z]+_chk(@|$)'
  if grep -qE '^ *LOAD .* RWE ' <<<"$parts"; then
    echo "FAILED: $file: memory that can be written and run"
    failed=1
  fi
  if grep -qE 'TEXTREL' <<<"$tags"; then
    echo "FAILED: $file: code that is changed when it is loaded"
    failed=1
  fi
done
holds "$BERTH_BUILD/bin/berth" "executable at any address (PIE)" \
  "$(readelf --wide --dynamic "$BERTH_BUILD/bin/berth")" 'FLAGS_1.*PIE'
# An empty part of RUNPATH is the current folder: anyone who can write there could choose the
# libraries.
for file in "$BERTH_BUILD"/lib/*.so "$BERTH_BUILD"/bin/*; do
  if readelf --wide --dynamic "$file" 2>/dev/null | grep -qE 'R(UN)?PATH.*\[(\]|:|[^]]*::|[^]]*:\])'; then
    echo "FAILED: $file: RUNPATH with an empty part"
    failed=1
  fi
done
((failed == 0)) && echo "hardened"
exit "$failed"
