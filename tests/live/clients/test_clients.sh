#!/usr/bin/env bash
# Tries clients in Go and Python, made by two generators from the interface of berth serve
# (openapi.json), on a running server. Each run generates them anew, in the build folder.
set -euo pipefail
source=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$source/../../.." && pwd)
berth=${BERTH:?the program to test}
cli=$root/tests/cli
document=$root/tools/live/answer/openapi.json
folder=${BERTH_BUILD:-$root/build}/clients
mkdir -p "$folder"
work=$(mktemp -d)
server='' service=''
trap 'kill $server $service 2>/dev/null || true; rm -rf "$work"' EXIT

skip() {
  echo "skipped: $*"
  exit 77
}
"$berth" serve --help >"$work/help" 2>&1 || skip "this berth has no subcommand serve"
command -v python3 >/dev/null || skip "there is no python3"
command -v go >/dev/null || PATH=$PATH:/usr/local/go/bin
command -v go >/dev/null || skip "Go is not installed"

# ---- a running one ----

"$berth" generate --nodes 12 --zones 3 --pods 60 --running 20 --workload ordinary --seed 1 >"$work/made.json"
(cd "$cli" && python3 live_cluster.py "$work/cluster.json" v1.36.2) <"$work/made.json"
exec 3< <(exec python3 "$cli/live_server.py" "$work/cluster.json" "$work/requests")
server=$!
read -r api <&3
port=$(python3 "$cli/free_port.py")
"$berth" serve --master "http://127.0.0.1:$api" --listen "http://127.0.0.1:$port" 2>"$work/log" &
service=$!
for ((tries = 200; tries > 0; tries--)); do
  ! grep -qF "the copy is complete" "$work/log" || break
  sleep 0.1
done
((tries > 0)) || { cat "$work/log"; exit 1; }
url=http://127.0.0.1:$port

# ---- Go ----

export GOFLAGS='-buildvcs=false -mod=mod' GOTOOLCHAIN=local GOWORK=off
mkdir -p "$folder/go/client"
cp "$source/go.mod.in" "$folder/go/go.mod"
cp "$source/try.go.in" "$folder/go/main.go"
cd "$folder/go"
go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.4.1 -generate types,client -package client \
  "$document" >client/client.go 2>"$work/go.log" || skip "the generator for Go cannot be had: $(tail -n 1 "$work/go.log")"
go mod tidy >"$work/go.log" 2>&1 || skip "a module of the client cannot be had: $(tail -n 1 "$work/go.log")"
go vet ./...
go run . "$url"

# ---- Python ----

cd "$folder"
[[ -x python/bin/openapi-python-client ]] || {
  rm -rf python
  if ! python3 -m venv python >"$work/python.log" 2>&1 ||
    ! python/bin/pip --quiet install openapi-python-client==0.29.1 >"$work/python.log" 2>&1; then
    rm -rf python
    skip "the generator for Python cannot be had: $(tail -n 1 "$work/python.log")"
  fi
}
rm -rf berth_client
python/bin/openapi-python-client generate --path "$document" --meta none --output-path berth_client >"$work/python.log" 2>&1 ||
  { cat "$work/python.log"; exit 1; }
PYTHONPATH=. python/bin/python "$source/try.py" "$url"
echo "clients in Go and Python: all is well"
