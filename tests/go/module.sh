# shellcheck shell=bash
# Shared by the tests of Go modules: the tools, the library of this build by pkg-config, and skipping.
skip() {
  echo "skipped: $*"
  exit 77
}

command -v go >/dev/null || PATH=$PATH:/usr/local/go/bin
command -v go >/dev/null || skip "Go is not installed"
command -v pkg-config >/dev/null || skip "pkg-config is not installed"
export GOFLAGS='-buildvcs=false -gcflags=all=-dwarf=false' GOTOOLCHAIN=local GOWORK=off # as in tests/oracle/build
go_version=$(go env GOVERSION)
[[ $go_version =~ ^go1\.([0-9]+) ]] || skip "$go_version is no version of Go"
go_minor=${BASH_REMATCH[1]}
bindings=$BERTH_SOURCE/engine/bindings/go

# cgo looks only at the flags in its environment, not at headers or at pkg-config, to decide whether
# it has built this before. So the flags contain a hash of the headers.
berth_pc() {
  local folder=$BERTH_BUILD/go
  mkdir -p "$folder"
  cat >"$folder/berth.pc" <<END
Name: berth
Description: the library of a build tree
Version: 0
Cflags: -I$BERTH_SOURCE/engine/include
Libs: -L$BERTH_BUILD/lib -lberth
END
  CGO_CFLAGS="-g -O2 -DBERTH_HEADERS=$(cat "$BERTH_SOURCE"/engine/include/berth/*.h | cksum | cut -d ' ' -f 1)"
  export CGO_CFLAGS PKG_CONFIG_PATH=$folder LD_LIBRARY_PATH=$BERTH_BUILD/lib
}

# enter FOLDER [GO.MOD]: enters the module there, or skips the test if Go is too old for it or a
# module is not available.
enter() {
  cd "$bindings/$1" || exit 1
  local wanted
  wanted=$(sed -n 's/^go 1\.\([0-9]*\).*/\1/p' "${2:-go.mod}")
  ((go_minor >= wanted)) || skip "${1#.} needs go1.$wanted, this is $go_version"
  # Listing the imports downloads them, so a failure here means that a module is not available.
  local log
  log=$(go list -deps -test ./... 2>&1 >/dev/null) || skip "a module cannot be had: ${log##*$'\n'}"
}

formed() {
  local bad
  bad=$(gofmt -l .)
  [[ -z $bad ]] || {
    echo "not as gofmt has it: $bad"
    exit 1
  }
}
