#!/usr/bin/env bash
# Manual pages and completions are complete, and valid for the tools that read them.
# shellcheck source=tests/cli/cases.sh
. ./cases.sh

mapfile -t commands < <("$berth" --help | sed -n 's/^  \([a-z]*\)  *[a-z].*/\1/p' | grep -v completion)
((${#commands[@]} > 10)) || fail "commands: ${commands[*]}"
for shell in bash zsh fish; do
  "$berth" completion $shell >"$work/berth.$shell" || fail "completion $shell"
done
"$berth" manual >"$work/berth.1" || fail "manual"
for command in "${commands[@]}"; do
  "$berth" manual "$command" >"$work/berth-$command.1" || fail "manual $command"
done

# Every option of every command is on its page, and in each completion.
for command in "${commands[@]}"; do
  mapfile -t options < <("$berth" "$command" --help | sed -n 's/^  \(-.,\|   \) --\([a-z0-9-]*\).*/\2/p')
  ((${#options[@]} > 0)) || fail "options of $command: ${options[*]}"
  tr -d '\134' <"$work/berth-$command.1" >"$work/plain"
  sed -n "/^  $command)$/,/^    ;;$/p" "$work/berth.bash" >"$work/bash"
  sed -n "/^  $command)$/,/^    ;;$/p" "$work/berth.zsh" >"$work/zsh"
  for option in "${options[@]}"; do
    grep -qF -- "fB--${option}fR" "$work/plain" || fail "manual $command: --$option"
    grep -qE -- "--$option( |\$)" "$work/bash" || fail "bash, $command: --$option"
    grep -qE -- "--$option(\\[|\\})" "$work/zsh" || fail "zsh, $command: --$option"
    [[ $option == help ]] ||
      grep -qE "from $command' -l $option( |\$)" "$work/berth.fish" || fail "fish, $command: --$option"
  done
done

# An option stands there with its letter and with what its value is.
grep -qxF '\fB\-q\fR, \fB\-\-quiet\fR' "$work/berth-bench.1" || fail "manual: a letter"
grep -qxF '\fB\-\-nodes\fR \fIN\fR' "$work/berth-bench.1" || fail "manual: a value"

# Colons and brackets end a text of zsh unless they are escaped.
grep -qF -- '--percentage[percentageOfNodesToScore; 0\: depends on the number of nodes; above 100\: the' \
  "$work/berth.zsh" || fail "zsh: colons"
grep -qF -- 'PRICE PER HOUR\[,spot or on-demand\[,ZONE OR REGION\]\]' "$work/berth.zsh" || fail "zsh: brackets"
grep -qF -- ':FORMAT:(table json yaml wide csv markdown name)' "$work/berth.zsh" || fail "zsh: choices"

# The page of the program names each command once, and nothing else as one; the page of a command has
# every exit code.
[[ $(grep -c '^\.BR berth\\-' "$work/berth.1") == "$(wc -w <<<"${commands[*]}")" ]] || fail "manual: commands"
for command in "${commands[@]}"; do
  [[ $(grep -c "^\.BR berth\\\\-$command (1)" "$work/berth.1") == 1 ]] || fail "manual: $command"
  [[ $(sed -n '/^.SH EXIT STATUS/,/^.SH [^E]/p' "$work/berth-$command.1" | grep -x '[0-9]' | tr -d '\n') == 01234 ]] ||
    fail "manual $command: exit codes"
  [[ $(sed -n '/^.SH SYNOPSIS/{n;p}' "$work/berth-$command.1") == "\fBberth $command\fR "* ]] ||
    fail "manual $command: synopsis"
  [[ $(sed -n '/^.SH NAME/{n;p}' "$work/berth-$command.1") == "berth\\-$command \\- "?* ]] || fail "manual $command: name"
done

# Lines that are not filled end where filled ones begin: each .fi ends a .nf, and none is left open.
for page in "$work"/*.1; do
  awk '$0 == ".nf" { if (open++) exit 1 } $0 == ".fi" { if (!open--) exit 1 } END { exit open != 0 }' "$page" ||
    fail "${page##*/}: .nf and .fi are not paired"
done

# ---- readers of manual pages ----

for page in "$work"/*.1; do
  if command -v man >/dev/null; then
    man --warnings -l "$page" >"$work/shown" 2>"$work/complaints" || fail "man: $page"
    [[ ! -s $work/complaints ]] || fail "man: $page: $(head -n 2 "$work/complaints")"
  fi
  if command -v mandoc >/dev/null; then
    mandoc -T lint -W warning "$page" | grep -v 'missing date' >"$work/complaints"
    [[ ! -s $work/complaints ]] || fail "mandoc: $page: $(head -n 2 "$work/complaints")"
  fi
done

# ---- shells ----

# completes WORD...: prints bash's suggestions for the last word.
completes() {
  bash -c '. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _berth
    printf "%s\n" "${COMPREPLY[@]}"' bash "$work/berth.bash" "$@" | sort | tr '\n' ' '
}
offers() {
  local expected=$1 found
  shift
  found=$(completes "$@")
  [[ $found == "$expected" ]] || fail "bash: '$*' is completed by '$found', not '$expected'"
}
offers "schedule " berth sch
offers "capacity compare completion " berth c
offers "json " berth schedule -o j
offers "csv json markdown table wide yaml " berth compare --output ""
offers "json " berth drain --output = j
offers "--kubernetes " berth schedule --kuber
offers "--help --huge-pages " berth schedule --h
offers " " berth schedule --threads ""
offers "data/nodes.yaml data/nodes_only.yaml " berth schedule -f data/nodes
offers "data/most.yaml " berth compare --config data/mo
offers "bash fish zsh " berth completion ""
offers "drain dump " berth manual d
offers "capacity compare completion " berth help c
offers "capacity compare " berth manual c
offers "data/nodes.yaml data/nodes_only.yaml " berth schedule --filename data/nodes
if command -v fish >/dev/null; then
  found=$(HOME=$work fish --no-config -c "source $work/berth.fish; complete -C 'berth schedule --output '" | tr '\n' ' ')
  [[ $found == *json* && $found == *yaml* ]] || fail "fish: '$found'"
  found=$(HOME=$work fish --no-config -c "source $work/berth.fish; complete -C 'berth gr'")
  [[ $found == grow* ]] || fail "fish: '$found'"
fi
if command -v zsh >/dev/null; then
  zsh -n "$work/berth.zsh" || fail "zsh: syntax"
fi

# ---- kubectl ----

ln -s "$(realpath "$berth")" "$work/kubectl_complete-berth"
ln -s "$(realpath "$berth")" "$work/kubectl-berth"
# suggests EXPECTED WORD...: checks the suggestions that kubectl gets for the last word, without
# descriptions.
suggests() {
  local expected=$1 found
  shift
  found=$("$work/kubectl_complete-berth" "$@" | cut -f1 | tr '\n' ' ')
  [[ $found == "$expected" ]] || fail "kubectl: '$*' is completed by '$found', not '$expected'"
}
suggests "schedule :4 " sch
suggests "capacity compare completion :4 " c
suggests "--version :4 " --v
suggests "--help :4 " --h
suggests "--help :4 " schedule --he
suggests "json :4 " schedule -o j
suggests "table json yaml wide csv markdown name :4 " capacity --output ""
suggests "--output=json :4 " drain --output=j
suggests "--kubernetes :4 " schedule --kuber
suggests ":4 " schedule --threads ""
suggests ":0 " schedule -f ""
suggests ":0 " schedule xxoutput "" # only dashes begin an option
suggests ":0 " schedule --filename da
suggests ":0 " schedule --strict ""
suggests "drain dump :4 " manual d
suggests "bash zsh fish :4 " completion ""
suggests ":4 " nosuch ""
suggests ":4 " help schedule ""
for command in help manual; do
  "$work/kubectl_complete-berth" "$command" "" | grep -q "^schedule"$'\t' || fail "kubectl: the commands for $command"
done
"$work/kubectl_complete-berth" sch | grep -q "^schedule"$'\t'"place the pods" || fail "kubectl: descriptions"
if kubectl __complete get "" >/dev/null 2>&1; then
  found=$(PATH=$work:$PATH kubectl __complete berth sch 2>"$work/err" | cut -f1 | tr '\n' ' ')
  [[ $found == "schedule :4 " ]] || fail "kubectl itself: '$found': $(cat "$work/err")"
fi

complains pages_no_shell 2 "bash, zsh or fish" "$berth" completion
complains pages_shell 2 "bash, zsh or fish" "$berth" completion tcsh
complains pages_command 2 "unknown command 'nosuch'" "$berth" manual nosuch
complains pages_two 2 "one command" "$berth" manual schedule drain
finish
