#!/usr/bin/env bash
# Call chains are turned into a flame graph; bench/compare and the scripts of perf/ print help and
# refuse wrong arguments. Nothing is profiled here.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

complain() {
  echo "FAILED $1"
  exit 1
}

# ---- flame graphs ----

cat >"$work/script" <<'TEXT'
berth 
	    7f00000010 fit+0x10 (/opt/lib/libberth.so.0.1.0)
	    7f00000020 berth__search_filter (/opt/lib/libberth.so.0.1.0)
	    7f00000030 main (/opt/bin/berth)

berth 
	    7f00000012 fit+0x12 (/opt/lib/libberth.so.0.1.0)
	    7f00000020 berth__search_filter (/opt/lib/libberth.so.0.1.0)
	    7f00000030 main (/opt/bin/berth)

berth 
	ffffffff8100 do_page_fault ([kernel.kallsyms])
	    7f00000040 [unknown] (/lib/libc.so.6)
	    7f00000030 main (/opt/bin/berth)

TEXT
awk -f "$root/perf/collapse.awk" "$work/script" | LC_ALL=C sort >"$work/folded"
cat >"$work/expected" <<'TEXT'
berth;main;[libc.so.6];do_page_fault_[k] 1
berth;main;berth__search_filter;fit 2
TEXT
diff "$work/expected" "$work/folded" || complain "call chains differ"
awk -v title='a < b' -f "$root/perf/flame.awk" "$work/folded" >"$work/flame.svg"
for text in 'a &lt; b: 3 samples' '<title>main: 3 samples, 100.00 %' '<title>fit: 2 samples, 66.67 %' \
  '<title>do_page_fault_[k]: 1 samples, 33.33 %' '</svg>'; do
  grep -qF "$text" "$work/flame.svg" || complain "the flame graph lacks '$text'"
done
[[ $(grep -c '<title>' "$work/flame.svg") == 6 ]] || complain "the flame graph has other boxes"

# ---- words ----

# refuses CODE TEXT COMMAND...
refuses() {
  local wanted=$1 text=$2 code=0
  shift 2
  "$@" >"$work/out" 2>"$work/err" || code=$?
  [[ $code == "$wanted" ]] || complain "$*: exit code $code, expected $wanted"
  grep -qF -- "$text" "$work/err" || complain "$*: standard error lacks '$text': $(cat "$work/err")"
}

for script in bench/run bench/compare perf/stat perf/record perf/flame perf/c2c perf/lock \
  perf/callgrind perf/cachegrind; do
  "$root/$script" --help >"$work/out" || complain "$script --help fails"
  grep -q "^Usage: $script" "$work/out" || complain "$script --help does not explain itself"
done
refuses 2 "one or two commits are compared" "$root/bench/compare"
refuses 2 "--runs takes a number of 1 or more, not 'none'" "$root/bench/compare" --runs none HEAD
refuses 2 "unknown option '--what'" "$root/bench/compare" --what HEAD
refuses 2 "--filter needs a value" "$root/bench/compare" --filter
echo "profiles are drawn"
