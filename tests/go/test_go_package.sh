#!/usr/bin/env bash
# Package berth: format, go vet, and the tests with the newest k8s.io/api, whose new fields are
# packed, too; these tests print the figures. With -race: the tests under the race detector, with
# the oldest k8s.io/api that the package supports.
set -euo pipefail
# shellcheck source=tests/go/module.sh
source "$(dirname "${BASH_SOURCE[0]}")/module.sh"
berth_pc
enter .
if [[ ${1:-} == -race ]]; then
  go test -p 2 -race ./...
  exit
fi
formed
newest=versions/v1.37.mod
if ((go_minor >= $(sed -n 's/^go 1\.\([0-9]*\).*/\1/p' "$newest"))); then
  export GOFLAGS="$GOFLAGS -modfile=$newest"
else
  echo "not with the newest k8s.io/api, which needs a newer Go than $go_version"
fi
go vet ./...
go test -p 2 ./clustersnapshot/... ./provisioning/... ./schedulerlibrary/...
go test -p 2 -count 1 -v . >"$BERTH_BUILD/go/test.log" || {
  cat "$BERTH_BUILD/go/test.log"
  exit 1
}
grep -o 'FIGURE.*' "$BERTH_BUILD/go/test.log"
