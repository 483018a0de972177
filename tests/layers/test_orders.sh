#!/usr/bin/env bash
# Every memory order in the engine names its purpose; every ordering named is defined, and used.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
find engine -name '*.[ch]' | sort | xargs awk -f tests/layers/orders.awk
