#!/usr/bin/env bash
# The package built by CMake alone with the library of this build tree: nothing is downloaded. Runs all of
# its tests, without numpy and, if it is installed, with numpy.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/python/python.sh
source "$here/python.sh"
python=$(usable cffi) || skip "no Python of 3.9 or later has cffi and its headers (tools/setup)"

folder=$BERTH_BUILD/python/package
package=$BERTH_SOURCE/engine/bindings/python
build_package "$python" "$folder"

exported=$(nm --dynamic --defined-only "$folder/site/berth/_native.abi3.so" | awk '{print $3}')
[[ $exported == PyInit__native ]] || {
  echo "python: the extension exports more than it should: $exported"
  exit 1
}

# shellcheck source=tests/install/hardened.sh
source "$BERTH_SOURCE/tests/install/hardened.sh"
hardened "$folder/site/berth/_native.abi3.so"
((failed == 0)) || exit 1

export PYTHONPATH=$folder/site PYTHONDONTWRITEBYTECODE=1 PYTHONFAULTHANDLER=1
cd "$here"
"$python" -c 'import numpy' 2>/dev/null || echo "python: numpy is not there: arrays are the standard library's"
"$python" -m unittest discover
WITHOUT_NUMPY=1 "$python" -m unittest discover
if "$python" -c 'import mypy' 2>/dev/null; then
  (cd "$package" && "$python" -m mypy --cache-dir "$folder/mypy")
else
  echo "python: mypy is not there: types are not checked"
fi
