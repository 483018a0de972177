# The files of the tree that are written by hand, one a line, relative to $BERTH_SOURCE.
# shellcheck shell=bash
hand_written() {
  cd "$BERTH_SOURCE" || return
  find . \( -name .git -o -name 'build*' -o -path ./tests/vectors/v1.15 -o -path ./tests/vectors/v1.32 \
    -o -path ./tests/fuzz/corpus \) -prune -o -type f \
    \( -name '*.[ch]' -o -name '*.cc' -o -name '*.hpp' -o -name '*.md' -o -name '*.sh' -o -name '*.awk' \
    -o -name '*.gp' -o -name '*.pml' -o -name '*.in' -o -name '*.map' -o -name CMakeLists.txt \
    -o -path './.ci/*' -o -path './perf/*' -o -path './bench/run' -o -path './bench/compare' \
    -o -path './tools/setup' -o -path './tools/test' -o -path './tools/build' \
    -o -path './tools/quickstart' \) -not -name '*.svg' -not -name '*.tsv' -print | sed 's,^\./,,' | sort
}
