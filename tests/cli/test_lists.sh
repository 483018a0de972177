#!/usr/bin/env bash
# Lists: selection, order, format, width, colours, and the notes beside them.
# shellcheck source=tests/cli/cases.sh
. ./cases.sh

list=("$berth" schedule -f data/explain.yaml)
check lists_wide 0 "${list[@]}" -o wide
check lists_name 0 "${list[@]}" -o name
check lists_pending 0 "${list[@]}" --pending --sort name
check lists_namespace 0 "${list[@]}" --only-namespace prod -o json
check lists_sort_node 0 "${list[@]}" --sort node
check lists_sort_reason 0 "${list[@]}" --sort reason -o name
check lists_color 0 "${list[@]}" --color always
check lists_capacity_sort 0 "$berth" capacity -f data/nodes.yaml --podspec data/podspecs.yaml --sort fit
check lists_capacity_wide 0 "$berth" capacity -f data/nodes.yaml --podspec data/podspecs.yaml -o wide
check lists_capacity_name 0 "$berth" capacity -f data/nodes.yaml --podspec data/podspecs.yaml -o name
check lists_drain_name 0 "$berth" drain -f data/drain.yaml --all -o name
check lists_drain_namespace 0 "$berth" drain -f data/drain.yaml --all --moves --only-namespace other

# No line is too wide: 100 columns in a file, COLUMNS if it is set, no limit with -o wide.
narrow() {
  name=lists_narrow_$1
  local widest
  widest=$("${@:3}" | wc -L)
  ((widest <= $2)) || fail "$name: $widest columns"
}
large=(schedule --synthetic 'nodes=5000,zones=3,pods=20000,workload=mixed' --summary)
narrow file 100 "$berth" schedule -f data/explain.yaml -f data/nodes.yaml
narrow summary 100 "$berth" "${large[@]}"
narrow explain 100 "$berth" explain -f data/explain.yaml big --all
narrow columns 70 env COLUMNS=70 "$berth" schedule -f data/explain.yaml
narrow least 60 env COLUMNS=1 "$berth" explain -f data/explain.yaml gated
# The least is 40.
for command in schedule "explain gated"; do
  read -ra words <<<"$command"
  words+=(-f data/explain.yaml)
  narrowest=$(COLUMNS=40 "$berth" "${words[@]}" 2>/dev/null)
  [[ $(COLUMNS=1 "$berth" "${words[@]}" 2>/dev/null) == "$narrowest" ]] || fail "lists_least: $command"
done
(($("${list[@]}" -o wide | wc -L) > 150)) || fail "lists_wide: it is broken"
[[ $(COLUMNS=none "${list[@]}" | wc -L) == $("${list[@]}" | wc -L) ]] || fail lists_columns_wrong

# The first screen of tools/quickstart is at most 100 columns wide and shows the reasons.
name=lists_quickstart
quick=$(sed -n 's/^ *set -- \(--synthetic .*\)$/\1/p' ../../tools/quickstart)
read -ra words <<<"$quick"
"$berth" schedule "${words[@]}" >"$work/quick" || fail "$name: exit code"
(($(wc -L <"$work/quick") <= 100)) || fail "$name: too wide"
(($(wc -l <"$work/quick") <= 40)) || fail "$name: too long for a screen"
for text in 'Bound        19928 of 20000 pending pods' 'Insufficient memory (4,433 nodes)' \
  'berth explain --in-turn' 'ZONE '; do
  grep -qF "$text" "$work/quick" || fail "$name: it lacks '$text'"
done

# Colour: not in a file, unless requested; NO_COLOR only affects terminals.
grep -q $'\033' <("${list[@]}") && fail "lists_color: in a file"
grep -q $'\033' <(NO_COLOR=1 "${list[@]}" --color always) || fail "lists_color: wanted"
grep -q $'\033' <("${list[@]}" --color never) && fail "lists_color: not wanted"

# On a terminal, which python provides.
if command -v python3 >/dev/null; then
  name=lists_terminal
  python3 terminal.py 60 "${list[@]}" >"$work/out"
  grep -q $'\033\[1mNAMESPACE' "$work/out" || fail "$name: no colour"
  sed 's/\x1b\[[0-9;]*m//g' "$work/out" | tr -d '\r' >"$work/plain"
  (($(wc -L <"$work/plain") <= 60)) || fail "$name: wider than the terminal"
  NO_COLOR=1 python3 terminal.py 60 "${list[@]}" >"$work/out"
  grep -q $'\033' "$work/out" && fail "$name: NO_COLOR"
  TERM=dumb python3 terminal.py 60 "${list[@]}" >"$work/out"
  grep -q $'\033' "$work/out" && fail "$name: a dumb terminal"
  # The progress bar is erased before anything else is written; with -q there is none.
  name=lists_progress
  slow=("$berth" schedule --synthetic 'nodes=5000,pods=40000,workload=basic' --path scan --threads 1
    --percentage 100 --summary)
  python3 terminal.py 100 "${slow[@]}" >"$work/out"
  grep -q $'placing \[' "$work/out" || fail "$name: no bar"
  tr '\r' '\n' <"$work/out" | grep 'Bound ' | grep -q 'placing' && fail "$name: the bar is in the results"
  tail -c +1 "$work/out" | tr -d '\n' | grep -q $'\r\033\[K[^\r]*Bound' || fail "$name: the bar stays"
  python3 terminal.py 100 "${slow[@]}" -q >"$work/out"
  grep -q 'placing' "$work/out" && fail "$name: -q"
fi

# --exit-code
name=lists_exit_code
run 1 "${list[@]}" --exit-code
run 0 "$berth" schedule -f data/nodes.yaml --exit-code
run 1 "$berth" drain -f data/drain.yaml --all --exit-code
run 0 "$berth" drain -f data/drain.yaml old-c --exit-code
run 0 "$berth" capacity -f data/nodes.yaml --podspec data/podspecs.yaml --exit-code
run 1 "$berth" capacity -f data/nodes_only.yaml --podspec data/podspecs.yaml --exit-code

# -v prints more on standard error
name=lists_verbose
run 0 "${list[@]}" -v
grep -qx 'berth: 15 objects loaded' "$work/err" || fail "$name: $(cat "$work/err")"
run 0 "${list[@]}" -v -q
[[ ! -s $work/err ]] || fail "$name: -q"

# Did you mean
complains lists_option 2 "unknown option '--nmaespace'; did you mean '--namespace'?" "${list[@]}" --nmaespace x
complains lists_option_first 2 "unknown option '--ndoes'; did you mean '--nodes'?" "$berth" bench --ndoes 5
complains lists_option_cut 2 "did you mean '--namespace'?" "${list[@]}" --names=x
complains lists_option_unlike 2 "unknown option '--zzz'" "${list[@]}" --zzz
grep -q mean "$work/err" && fail "lists_option_unlike: $(cat "$work/err")"
complains lists_choice 2 "none of: queue, namespace, name, node, reason; did you mean 'reason'?" \
  "${list[@]}" --sort reasons
complains lists_color_wrong 2 "none of: auto, always, never" "${list[@]}" --color=blue
complains lists_command 2 "unknown command 'shcedule'; did you mean 'schedule'?" "$berth" shcedule
complains lists_help_command 2 "unknown command 'drian'; did you mean 'drain'?" "$berth" help drian
complains lists_help_two 2 "unexpected argument 'b'" "$berth" help drain b
same lists_help <("$berth" help drain) <("$berth" drain --help)
same lists_help_alone <("$berth" help) <("$berth" --help)
finish
