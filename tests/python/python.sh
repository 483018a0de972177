# Shared by the tests of the Python package.
# shellcheck shell=bash

skip() {
  echo "python: skipped: $*"
  exit 77
}

# usable MODULE...: prints the first Python, 3.9 or later, that has these modules and the headers
# for building an extension; nothing if there is none.
usable() {
  local python
  for python in ${PYTHON:-} /usr/bin/python3 python3; do
    "$python" - "$@" 2>/dev/null <<'END' || continue
import importlib, os, sys, sysconfig
for name in sys.argv[1:]:
    importlib.import_module(name)
assert sys.version_info >= (3, 9)
assert os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h"))
END
    command -v "$python"
    return
  done
  return 1
}
