#!/usr/bin/env bash
# Renders the Helm chart of tools/live/deploy as Helm does, and checks it against the types of the
# API, with berth and with Prometheus' parser (chart/chart_test.go).
set -euo pipefail
source=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/go/module.sh
. "$source/../go/module.sh"
cd "$source/chart"
wanted=$(sed -n 's/^go 1\.\([0-9]*\).*/\1/p' go.mod)
((go_minor >= wanted)) || skip "helm's modules need go1.$wanted, this is $go_version"
go list -deps -test ./... >/dev/null 2>"$BERTH_BUILD/live_chart.log" ||
  skip "helm's modules cannot be had: $(tail -n 1 "$BERTH_BUILD/live_chart.log"); to run it: tools/test -R live_chart"
unformatted=$(gofmt -l .)
[[ -z $unformatted ]] || { echo "not as gofmt has it: $unformatted"; exit 1; }
go vet ./...
go test ./...
