#!/usr/bin/env bash
# Lists as CSV and Markdown: one complete table, readable by spreadsheets and Markdown pages.
# shellcheck source=tests/cli/cases.sh
. ./cases.sh

compare=("$berth" compare -q --before data/compare_before.yaml --after data/compare_after.yaml)
grow=("$berth" grow -q -f data/grow_packing.yaml)
check flat_schedule_csv 0 "$berth" schedule -q -f data/explain.yaml -o csv
check flat_schedule_markdown 0 "$berth" schedule -q -f data/explain.yaml -o markdown --pending
check flat_capacity_csv 0 "$berth" capacity -q -f data/nodes.yaml --podspec data/podspecs.yaml -o csv
check flat_drain_csv 0 "$berth" drain -q -f data/drain.yaml --all -o csv
check flat_drain_moves_csv 0 "$berth" drain -q -f data/drain.yaml --all --moves -o csv
check flat_compare_csv 0 "${compare[@]}" -o csv
check flat_compare_moves_markdown 0 "${compare[@]}" -o markdown --moves
check flat_grow_csv 0 "${grow[@]}" --shape four=cpu=4,memory=16Gi,price=1 -o csv
check flat_grow_nodes_markdown 0 "${grow[@]}" -o markdown
for by in node namespace zone owner; do
  check flat_top_${by}_csv 0 "$berth" top -q -f data/top.yaml --by $by -o csv
done
check flat_top_markdown 0 "$berth" top -q -f data/top.yaml -o markdown

for command in schedule top "drain --all"; do
  # shellcheck disable=SC2086 # a word or two
  complains "flat_summary_${command%% *}" 2 "--output csv prints the list alone" \
    "$berth" $command -f data/drain.yaml --summary -o csv
done

# ---- names that a spreadsheet or a page would not take as plain text ----

python3 - "$berth" <<'END' || fail "odd names"
import csv
import io
import json
import subprocess
import sys

names = ["=1+1", "+sum(a1)", "-x", "@now", 'quo"te', "com,ma", "pi|pe", "<b>", "a`b", "*x*", "[l](u)",
         "line\nbreak", "tab\there", "plain-1", "-", "-5", "+4.5"]
pods = [{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name},
         "spec": {"containers": [{"name": "c"}]}} for name in names]
text = json.dumps({"apiVersion": "v1", "kind": "List", "items": pods})


def run(form):
    return subprocess.run([sys.argv[1], "schedule", "-q", "-f", "-", "-o", form], input=text,
                          capture_output=True, text=True, check=True).stdout


def expect(found, wanted):
    if found != wanted:
        sys.exit("found %r, wanted %r" % (found, wanted))


rows = list(csv.reader(io.StringIO(run("csv")), strict=True))
expect(rows[0], ["NAMESPACE", "NAME", "NODE", "MESSAGE"])
shown = [name.replace("\n", "\\n").replace("\t", "\\t") for name in names]
guarded = ["'" + name if name in ("=1+1", "+sum(a1)", "-x", "@now") else name for name in shown]
expect([row[1] for row in rows[1:]], guarded)
expect({len(row) for row in rows}, {4})

lines = run("markdown").splitlines()
expect(lines[1], "| --- | --- | --- | --- |")
cells = [line.split(" | ")[1] for line in lines[2:]]
expect(cells[names.index("pi|pe")], "pi\\|pe")
expect(cells[names.index("<b>")], "\\<b>")
expect(cells[names.index("a`b")], "a\\`b")
expect(cells[names.index("*x*")], "\\*x\\*")
expect(cells[names.index("[l](u)")], "\\[l\\](u)")
expect(cells[names.index("line\nbreak")], "line\\nbreak")
END
finish
