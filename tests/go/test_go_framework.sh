#!/usr/bin/env bash
# The shim for the interfaces of the scheduler framework, with the newest k8s.io/api with which it builds.
set -euo pipefail
# shellcheck source=tests/go/module.sh
source "$(dirname "${BASH_SOURCE[0]}")/module.sh"
berth_pc
enter framework
formed
go vet ./...
go test -p 2 ./...
