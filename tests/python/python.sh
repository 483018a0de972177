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

# build_package PYTHON FOLDER: builds the package by CMake alone with the library of the build tree and
# installs it in FOLDER/site. Nothing is downloaded.
build_package() {
  local python=$1 folder=$2 package=$BERTH_SOURCE/engine/bindings/python
  mkdir -p "$folder"
  {
    cmake --install "$BERTH_BUILD" --prefix "$folder/prefix" &&
      cmake -S "$package" -B "$folder/build" -DBERTH_INSTALLED=ON -DCMAKE_BUILD_TYPE=Release \
        -DCMAKE_PREFIX_PATH="$folder/prefix" -DPython_EXECUTABLE="$python" &&
      cmake --build "$folder/build" &&
      rm -rf "$folder/site" &&
      cmake --install "$folder/build" --component python --prefix "$folder/site" &&
      cp "$package"/berth/*.py "$package"/berth/*.pyi "$package"/berth/py.typed "$folder/site/berth"
  } >"$folder/log" 2>&1 || {
    cat "$folder/log"
    exit 1
  }
}
