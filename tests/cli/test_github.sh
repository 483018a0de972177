#!/usr/bin/env bash
# The example workflow "does it fit": its steps run on a change that fits and on one that does not.
# shellcheck source=tests/cli/cases.sh
. ./cases.sh

if ! command -v python3 >/dev/null; then
  echo "without python3 the workflow does not run"
  exit 0
fi
clusters=$(realpath ../../tools/examples/clusters)
workflow=../../tools/examples/github/does-it-fit.yml

# docker runs the program itself; kubectl has the shop of the tour, whose pods have uids because they exist.
mkdir "$work/bin"
sed -e 's/^metadata: {name: archive/&, uid: u-archive/' -e 's/^  name: search-3/&\n  uid: u-search-3/' \
  "$clusters/shop.yaml" >"$work/server.yaml"
cat >"$work/bin/docker" <<END
#!/bin/sh
while [ "\$1" != vars.BERTH_IMAGE ]; do shift; done
shift
exec "$(realpath "$berth")" "\$@"
END
cat >"$work/bin/kubectl" <<END
#!/bin/sh
[ "\$(cat "\$KUBECONFIG")" = secrets.KUBECONFIG ] || exit 1
[ "\$1" = get ] && exec cat "$work/server.yaml"
printf 'nodes\npods\n'
END
chmod +x "$work/bin/docker" "$work/bin/kubectl"
export PATH=$work/bin:$PATH

# change NAME CODE REPLICAS: runs the workflow on a Deployment with REPLICAS front ends.
change() {
  name=github_$1
  mkdir -p "$work/$1/checkout/manifests/web"
  sed "s/replicas: 6/replicas: $3/" "$clusters/more-web.yaml" >"$work/$1/checkout/manifests/web/sale.yaml"
  run "$2" python3 workflow.py "$workflow" "$work/$1"
  [[ ! -e $work/$1/temp/kubeconfig ]] || fail "$name: the kubeconfig is left behind"
}
summary_has() {
  grep -qF -- "$2" "$work/$1/summary.md" || fail "$name: the summary lacks '$2': $(head -n 20 "$work/$1/summary.md")"
}

change fits 0 3
summary_has fits "| NAMESPACE | NAME | NODE | MESSAGE |"
summary_has fits "| --- | --- | --- | --- |"
(($(grep -cE '^\| shop \| web-sale-[^ ]+ \| node-[1-6] \|' "$work/fits/summary.md") == 3)) || fail "$name: not three pods"
grep -qF "What would help" "$work/fits/summary.md" && fail "$name: something is explained"

change large 1 60
grep -qE '^\| shop \| web-sale-[^ ]+ \| - \| 0/6 nodes are available: .*Insufficient' "$work/large/summary.md" ||
  fail "$name: no pod is without a place"
summary_has large "## What would help"
summary_has large "Find none"
[[ $(tail -n 1 "$work/large/summary.md") == '```' ]] || fail "$name: the fence is open"

change broken 1 many
grep -q "Place the pods: exit code 3" "$work/out" || fail "$name: $(cat "$work/out")"
finish
