#!/usr/bin/env bash
# The how-tos' programs in Python, on a package built with the library of this build tree: each prints what is
# committed in tests/install/NAME.out, as its counterpart in C does.
set -euo pipefail
# shellcheck source=tests/python/python.sh
source "$BERTH_SOURCE/tests/python/python.sh"

skip() {
  echo "skipped: $*; to run it: tools/setup"
  exit 77
}
python=$(usable cffi) || skip "no Python of 3.9 or later has cffi and its headers"

folder=$BERTH_BUILD/docs/python
package=$BERTH_SOURCE/engine/bindings/python
build_package "$python" "$folder"

export PYTHONPATH=$folder/site PYTHONDONTWRITEBYTECODE=1
failed=0
for program in "$package"/examples/*.py; do
  name=$(basename "$program" .py)
  if "$python" "$program" | diff "$BERTH_SOURCE/tests/install/$name.out" -; then
    echo "$name: ok"
  else
    echo "$name: the output differs from tests/install/$name.out" >&2
    failed=1
  fi
done
exit "$failed"
