#!/usr/bin/env bash
# The examples of package berth: a gang queue, a consolidator, a live copy fed by informers.
set -euo pipefail
# shellcheck source=tests/go/module.sh
source "$(dirname "${BASH_SOURCE[0]}")/module.sh"
berth_pc
enter examples
formed
go vet -race ./... # as the tests below, so that each package is compiled once
go test -p 2 -race ./...
