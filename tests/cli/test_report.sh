#!/usr/bin/env bash
# berth report: a page that needs no other file. If chromium is installed, the pages are opened in it.
# shellcheck source=tests/cli/cases.sh
. ./cases.sh

"$berth" report -f data/nodes.yaml -f data/pods.json -o "$work/small.html" || fail small
"$berth" report -f data/report_markup.yaml --title '</title><script>broken</script>' -o "$work/markup.html" ||
  fail markup
"$berth" report -f data/report_nodes.yaml -o "$work/nodes.html" || fail nodes
"$berth" replay -o "$work/replayed" data/replay_life.jsonl >"$work/table" || fail replay
"$berth" report -f "$work/replayed" --title replay -o "$work/replay.html" || fail replay
# An almost empty cluster: the chart of shares has to show values below one percent.
cat >"$work/idle.jsonl" <<END
{"time": 0, "event": "node_add", "object": {"kind": "Node", "metadata": {"name": "n"}, \
  "status": {"allocatable": {"cpu": "1k", "pods": "9k"}}}}
{"time": 1, "event": "pod_add", "duration": 9, "object": {"kind": "Pod", "metadata": {"name": "p"}, \
  "spec": {"containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "9"}}}]}}}
END
"$berth" replay -o "$work/idled" --plots none "$work/idle.jsonl" >"$work/table" || fail "replay idle"
"$berth" report -f "$work/idled" --title idle -o "$work/idle.html" || fail idle
nodes=(--synthetic "nodes=5000,zones=3,pods=20000,workload=mixed")
"$berth" report "${nodes[@]}" -o "$work/large.html" || fail large

# The data is JSON and agrees with berth schedule, and no text of an object closes the element that contains it.
data() {
  sed -n 's,.*<script type="application/json" id="data">\(.*\),\1,p' "$1" | sed 's,</script>$,,'
}
for page in small markup nodes replay idle large; do
  data "$work/$page.html" | python3 -m json.tool >"$work/$page.json" || fail "$page: the data is no JSON"
  grep -q '<' <(data "$work/$page.html") && fail "$page: the data has a bracket in it"
  [[ $(grep -c '</script>' "$work/$page.html") == 2 ]] || fail "$page: an element ends early"
  grep -nE '(src|href) *= *"?(https?:)?//|@import|url\(' "$work/$page.html" && fail "$page: something is fetched"
done
grep -qF '"placed": 3' "$work/small.json" || fail "small: pods placed"
grep -qF '"default/huge-too"' "$work/small.json" || fail "small: an example of a pod"
grep -qF 'script>document.title' "$work/markup.json" || fail "markup: the pod's name is not there as it is"
[[ $(stat -c %s "$work/large.html") -lt 2000000 ]] || fail "large: more than 2 MB"

# Free capacity of nodes that take no pods is listed separately, and each of them says why.
value() { python3 -c 'import json, sys; print(json.dumps(eval(sys.argv[2], json.load(open(sys.argv[1])))))' "$@"; }
says() {
  local found
  found=$(value "$work/$1.json" "$2")
  [[ $found == "$3" ]] || fail "$1: $2 is $found, not $3"
}
says nodes 'counts["nodesByState"]' '{"open": 1, "tainted": 1, "cordoned": 1, "notReady": 2}'
says nodes 'resources[0]["free"]' '{"open": 11050, "tainted": 4000, "cordoned": 3000, "notReady": 13000}'
says nodes 'resources[0]["mostFree"]' 11050
says nodes '[n[0] for n in nodes if len(n) == 4]' '["open-1.example.com"]'
says nodes '[n[5] for n in nodes[1:4]]' '[["cordoned"], ["taint dedicated=infra:NoSchedule"], ["not ready"]]'
says nodes 'nodes[4][4]' '"notReady"'
says nodes 'nodes[4][5]' \
  '["not ready: taint node.kubernetes.io/unreachable", "cordoned", "taint dedicated:NoExecute"]'
says nodes 'sum(pods, [])' '["shop/most", "shop/rest", "shop/gpu"]'
says nodes '"pods" in locals()' true
says large '"pods" in locals()' false

# The same input gives the same page, at any number of threads and on either path.
for option in "--threads 1" "--threads 2" "--path scan"; do
  # shellcheck disable=SC2086 # two words
  "$berth" report "${nodes[@]}" $option -o - >"$work/other.html"
  same "report $option" "$work/large.html" "$work/other.html"
done

for word in json JSON yaml csv markdown name; do
  complains report_format_$word 2 "'$word' is a format: a report is a page of HTML, as in --output report.html" \
    env -C "$work" "$berth" report --synthetic nodes=3 -o $word
  [[ ! -e $work/$word ]] || fail "report_format_$word: a file of that name"
done
(cd "$work" && "$berth" report --synthetic nodes=3 -o ./json) || fail "report ./json"
[[ -s $work/json ]] || fail "report ./json: no file"

complains report_no_input 2 "no input" "$berth" report
mkdir "$work/half" "$work/none" "$work/cluster"
echo '{}' >"$work/half/report.json"
complains report_folder_and_file 2 "alone" "$berth" report -f "$work/half" -f data/nodes.yaml
complains report_half_replay 3 "half/series.csv" "$berth" report -f "$work/half" -o "$work/x.html"
complains report_no_replay 3 "none: the folder has no file to read" "$berth" report -f "$work/none"
cp data/nodes.yaml "$work/cluster"
"$berth" report -f "$work/cluster" --title x -o "$work/folder.html" || fail "report of a folder"
"$berth" report -f data/nodes.yaml --title x -o "$work/file.html" || fail "report of a file"
same "report of a folder" "$work/folder.html" "$work/file.html"
complains report_missing 3 "No such file" "$berth" report -f nosuch
complains report_no_folder 3 "nosuch/x.html: No such file" "$berth" report -f data/nodes.yaml -o nosuch/x.html
mkdir "$work/bad"
echo '{}' >"$work/bad/report.json"
printf 'time,nodes\n0,x\n' >"$work/bad/series.csv"
complains report_bad_series 3 "series.csv:2" "$berth" report -f "$work/bad" -o "$work/x.html"

# ---- in a browser ----

browser=$(command -v chromium || true)
if [[ -z $browser ]]; then
  echo "without chromium the pages are not opened"
  finish
  exit
fi
open_page() {
  timeout 100 "$browser" --headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run \
    --disable-background-networking --disable-component-update --disable-sync \
    --user-data-dir="$work/profile" --enable-logging=stderr --virtual-time-budget=5000 "$@" 2>"$work/log"
}
for page in small markup nodes replay idle large; do
  # The page, with a script that tests it.
  { sed 's,</html>,,' "$work/$page.html" && echo '<script>' && cat report_probe.js && echo '</script></html>'; } \
    >"$work/probed.html"
  views=("0:1280,900" "1:400,800") # dark on a desk, light on a phone
  [[ $page == nodes || $page == idle ]] && views=("1:1280,900")
  for view in "${views[@]}"; do
    open_page --blink-settings=preferredColorScheme="${view%:*}" --window-size="${view#*:}" --dump-dom \
      "file://$work/probed.html" >"$work/dom"
    found=$(sed -n 's,.*<title>\(.*\)</title>.*,\1,p' "$work/dom" | tail -n 1)
    [[ $found == "all is well" ]] || fail "$page at $view: ${found:-the browser shows nothing}"
    cp "$work/dom" "$work/$page.dom"
    grep -q CONSOLE "$work/log" && fail "$page at $view: $(grep CONSOLE "$work/log")"
  done
done
# The page rounds as the program does: 20.95 becomes 20.9, as in printf.
"$berth" schedule -f data/report_nodes.yaml >"$work/table"
grep -q ' cpu  *20\.9  *52\.0  *40\.3%$' "$work/table" || fail "nodes: what berth schedule says"
for figure in '<td class="n">52.0</td><td class="n">20.9</td><td class="n">11.1</td>' '>40.3%<' '>34.0Gi<'; do
  grep -qF "$figure" "$work/nodes.dom" || fail "nodes: the page lacks $figure"
done
open_page --print-to-pdf="$work/paper.pdf" "file://$work/small.html"
[[ $(head -c 5 "$work/paper.pdf") == "%PDF-" ]] || fail "paper: nothing is printed"
finish
