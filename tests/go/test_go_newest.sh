#!/usr/bin/env bash
# Package berth with the newest k8s.io/api: fields that older versions lack are packed, too.
set -euo pipefail
# shellcheck source=tests/go/module.sh
source "$(dirname "${BASH_SOURCE[0]}")/module.sh"
berth_pc
export GOFLAGS="$GOFLAGS -modfile=versions/v1.37.mod"
enter . versions/v1.37.mod
go test -p 2 -run 'PackedAsRead|Newest' .
