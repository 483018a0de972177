#!/usr/bin/env bash
# Shared by the tests of what is installed; each of them sources it. Installs the build into $work/prefix; $work is
# removed at the end.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$BERTH_BUILD" --prefix "$work/prefix" >"$work/log"
