#!/usr/bin/env bash
# The examples of package berth: a gang queue, a consolidator, a live copy fed by informers.
# Usage: test_go_examples.sh [-race]   (with the race detector, for which all of client-go is compiled again)
set -euo pipefail
# shellcheck source=tests/go/module.sh
source "$(dirname "${BASH_SOURCE[0]}")/module.sh"
berth_pc
enter examples
formed
go vet "$@" ./...
go test -p 2 "$@" ./...
