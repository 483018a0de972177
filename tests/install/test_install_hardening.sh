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
# shellcheck source=tests/install/hardened.sh
source "$BERTH_SOURCE/tests/install/hardened.sh"

for file in "$BERTH_BUILD/lib/libberth.so" "$BERTH_BUILD/bin/berth"; do
  hardened "$file"
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
