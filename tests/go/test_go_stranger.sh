#!/usr/bin/env bash
# A stranger's program: gets the module from a file-system proxy, builds without this repository, without
# pkg-config's berth and without g++, and runs without LD_LIBRARY_PATH. With the cross compiler and qemu-user
# (tools/setup --cross), also for arm64.
set -euo pipefail
: "${BERTH_SOURCE:?}" "${BERTH_BUILD:?}"
# shellcheck source=tests/go/module.sh
. "$(dirname "$0")/module.sh"
[[ $(uname -m) == x86_64 && -e /etc/debian_version ]] || skip "tools/go_modules needs Debian on amd64"
proxy=$BERTH_BUILD/go-proxy
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
path=example.org/berth version=v0.1.0

fail() {
  echo "FAILED $*"
  exit 1
}

architectures=(amd64) options=()
if command -v aarch64-linux-gnu-gcc >/dev/null && command -v qemu-aarch64 >/dev/null; then
  architectures+=(arm64) options+=(--arm64)
else
  echo "arm64 is not tried: no cross compiler, or no qemu-user"
fi
"$BERTH_SOURCE/tools/go_modules" --path $path --version $version "${options[@]}" "$proxy" >"$work/made" 2>"$work/err" || {
  ! grep -q 'cannot be had' "$work/err" || skip "$(tail -n 1 "$work/err"); to run it: a mirror of Debian's sources"
  cat "$work/err"
  exit 1
}
(($(grep -c "$version.zip" "$work/made") == 2 + ${#architectures[@]})) || fail "these are not all modules: $(cat "$work/made")"

# A library shows its public functions and nothing else.
for architecture in "${architectures[@]}"; do
  python3 -m zipfile -e "$proxy/$path/lib/linux_$architecture/@v/$version.zip" "$work/library"
  archive=$work/library/$path/lib/linux_$architecture@$version/libberth.a
  others=$(nm --defined-only --extern-only "$archive" | awk 'NF == 3 && $3 !~ /^berth_[a-z]/ { print $3 }')
  [[ -z $others ]] || fail "other names are visible for $architecture: ${others:0:300}"
done

# Modules that this machine has need no download.
known=$(go env GOMODCACHE)/cache/download
proxies=file://$proxy,file://$known,$(go env GOPROXY)
export GOPROXY=$proxies GONOSUMDB=$path GOFLAGS='-mod=mod -modcacherw -buildvcs=false -trimpath'
export GOMODCACHE=$work/cache PKG_CONFIG_PATH=$work/none
unset LD_LIBRARY_PATH CGO_CFLAGS
mkdir -p "$work/bin" "$work/program"
printf '#!/bin/sh\necho "no C++ compiler" >&2\nexit 1\n' | tee "$work/bin/g++" >"$work/bin/c++"
chmod +x "$work/bin/g++" "$work/bin/c++"
cd "$work/program"
cat >main.go <<'GO'
package main

import (
	"fmt"

	"example.org/berth"
)

const cluster = `
{apiVersion: v1, kind: Node, metadata: {name: a, labels: {disk: ssd}}, status: {allocatable: {cpu: '4', pods: '10'}}}
---
{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "b"}, "status": {"allocatable": {"cpu": "4", "pods": "10"}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {nodeSelector: {disk: ssd}, containers: [{name: m, resources: {requests: {cpu: '1'}}}]}}
`

func main() {
	engine, err := berth.New(nil)
	if err != nil {
		panic(err)
	}
	defer engine.Close()
	if _, err := engine.Load([]byte(cluster), nil); err != nil {
		panic(err)
	}
	if _, err := engine.Load([]byte(`{"kind": "Pod"`), nil); err == nil {
		panic("half a text is read")
	}
	pod, err := engine.FindPod("default", "web")
	if err != nil {
		panic(err)
	}
	placement, err := engine.Schedule(pod)
	if err != nil {
		panic(err)
	}
	name, err := engine.NodeName(placement.Node)
	fmt.Println(placement.Verdict, name, err)
}
GO
go mod init stranger >/dev/null 2>&1
go get "$path@$version" >"$work/log" 2>&1 || {
  ! grep -qE 'proxyconnect|no such host|dial tcp|Forbidden|unreachable' "$work/log" || skip "modules cannot be had"
  fail "go get: $(tail -n 5 "$work/log")"
}
PATH=$work/bin:$PATH go build -o program . >"$work/log" 2>&1 || fail "go build: $(tail -n 5 "$work/log")"
found=$(cd / && "$work/program/program")
[[ $found == 'placed a <nil>' ]] || fail "it prints: $found"
! ldd program | grep -E 'berth|simdjson|re2|yaml|stdc' || fail "it needs libraries beside the C library's"
if [[ " ${architectures[*]} " == *" arm64 "* ]]; then
  GOARCH=arm64 CGO_ENABLED=1 CC=aarch64-linux-gnu-gcc go build -o program.arm64 . >"$work/log" 2>&1 ||
    fail "go build for arm64: $(tail -n 5 "$work/log")"
  found=$(cd / && qemu-aarch64 -L /usr/aarch64-linux-gnu "$work/program/program.arm64")
  [[ $found == 'placed a <nil>' ]] || fail "on arm64 it prints: $found"
fi
go vet . || fail "go vet"
# Every package of the module compiles under the new path, its examples print what they say, and nothing names
# the old path.
go build "$path/..." || fail "the module's packages do not compile"
go test -run '^Example' "$path" >"$work/log" 2>&1 || fail "the examples: $(tail -n 20 "$work/log")"
! grep -rn 'berth/go\b' "$GOMODCACHE/$path@$version" || fail "the old path is left"
if ((go_minor >= 26)); then
  go get "$path/framework@$version" >"$work/log" 2>&1 || skip "modules for the framework cannot be had"
  go build "$path/framework" || fail "the framework's plugin does not compile"
fi

# Mistakes.
for arguments in "--path berth/go --version v0.1.0 $work/x" "--path example.org/berth --version 0.1 $work/x" \
  "--path example.org/berth --version v0.1.0" "--nonsense"; do
  code=0
  # shellcheck disable=SC2086 # several arguments
  "$BERTH_SOURCE/tools/go_modules" $arguments >"$work/log" 2>&1 || code=$?
  [[ $code == 2 ]] || fail "exit code $code for: $arguments"
done
