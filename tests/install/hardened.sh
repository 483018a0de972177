# Shared by the tests that look at the protection of built files; sourced. `failed` is 1 after a failure.
# shellcheck shell=bash
# shellcheck disable=SC2034 # the tests read it
failed=0

# holds FILE WHAT TEXT PATTERN: checks that a line of the text matches.
holds() {
  if ! grep -qE -- "$4" <<<"$3"; then
    echo "FAILED: $1: no $2"
    failed=1
  fi
}

# hardened FILE: checks a program or a library of an optimized build.
hardened() {
  local file=$1 parts tags symbols
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
}
