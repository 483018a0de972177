#!/usr/bin/env bash
# Errors of command lines and inputs: the exit code, and a message that names the file, the place, the
# object, the field and the expected value. The cases are in errors/*.txt:
#   === NAME CODE     begins a case
#   $ COMMAND         is run by bash, in a folder of its own with data/nodes.yaml
#   > TEXT            stands on standard error; nothing stands on standard output
#   --- FILE          what follows, up to the next case, is this file's text
# shellcheck source=tests/cli/cases.sh
. ./cases.sh

cases=0
PATH=$(cd "$(dirname "$berth")" && pwd):$PATH
data=$PWD/data

begin_case() {
  name=$1 code=$2 command='' file=''
  texts=()
  cases=$((cases + 1))
  rm -rf "$work/case"
  mkdir "$work/case"
  cp "$data/nodes.yaml" "$work/case"
}

run_case() {
  local found text
  [[ -n $command ]] || return 0
  (cd "$work/case" && timeout 60 bash -c "$command") >"$work/out" 2>"$work/err"
  found=$?
  [[ $found == "$code" ]] || fail "$name: exit code $found, expected $code: $(head -c 500 "$work/err")"
  for text in "${texts[@]}"; do
    grep -qF -- "$text" "$work/err" || fail "$name: standard error lacks '$text': $(head -c 1000 "$work/err")"
  done
  [[ ! -s $work/out ]] || fail "$name: something was written to standard output"
  command=''
}

read_cases() {
  local line
  command=''
  while IFS= read -r line; do
    case $line in
    '=== '*)
      run_case
      # shellcheck disable=SC2086 # a name and a code
      begin_case ${line#=== }
      ;;
    '$ '*) command=${line#\$ } ;;
    '> '*) texts+=("${line#> }") ;;
    '--- '*)
      file=$work/case/${line#--- }
      : >"$file"
      ;;
    *) [[ -z ${file:-} ]] || printf '%s\n' "$line" >>"$file" ;;
    esac
  done <"$1"
  run_case
}

for list in errors/*.txt; do
  file=''
  read_cases "$list"
done
((cases >= 40)) || fail "only $cases cases were found"

# A message is cut to 8191 bytes, behind the name of the command.
name=errors_longest
"$berth" schedule "--$(printf '%9000s' '' | tr ' ' x)" >"$work/out" 2>"$work/err"
bytes=$(head -1 "$work/err" | wc -c) prefix="berth schedule: "
((bytes == ${#prefix} + 8191 + 1)) || fail "$name: $bytes bytes"
echo "$cases cases"
finish
