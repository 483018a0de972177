#!/usr/bin/env bash
# berth import: the openb trace, and files in other formats.
# shellcheck source=tests/cli/cases.sh
. ./cases.sh

check import_openb 0 "$berth" import openb data/openb_nodes.csv data/openb_pods.csv
"$berth" import openb data/openb_nodes.csv data/openb_pods.csv >"$work/objects"
check import_schedule 0 "$berth" schedule -f "$work/objects"

head -n 1 data/openb_nodes.csv >"$work/none.csv"
printf 'sn,cpu_milli,memory_mib,gpu,model\nn,1,2,x,\n' >"$work/number.csv"
printf 'sn,cpu_milli,memory_mib,gpu,model\nn,1,2\n' >"$work/short.csv"
printf 'sn,cpu_milli,memory_mib\nn,1,2\n' >"$work/columns.csv"
: >"$work/empty.csv"
check import_no_nodes 0 "$berth" import openb "$work/none.csv" data/openb_pods.csv
complains import_number 3 "number.csv:2: gpu: 'x' is not a whole number" \
  "$berth" import openb "$work/number.csv" data/openb_pods.csv
complains import_cells 3 "short.csv:2: 3 cells, where the header has 5" \
  "$berth" import openb "$work/short.csv" data/openb_pods.csv
complains import_columns 3 "columns.csv:1: the header has no column 'gpu'" \
  "$berth" import openb "$work/columns.csv" data/openb_pods.csv
complains import_empty 3 "empty.csv: the file is empty" \
  "$berth" import openb "$work/empty.csv" data/openb_pods.csv
complains import_missing 3 "No such file" "$berth" import openb nosuch.csv data/openb_pods.csv
complains import_folder 3 "Is a directory" "$berth" import openb "$work" data/openb_pods.csv
complains import_pods 3 "openb_nodes.csv:1: the header has no column 'name'" \
  "$berth" import openb data/openb_nodes.csv data/openb_nodes.csv
finish
