#!/usr/bin/env bash
# Bytes that are not text, NUL in names, and small compressed input with large contents: an error with its
# place, or the right answer, with memory in proportion to the contents.
# shellcheck source=tests/cli/cases.sh
. ./cases.sh

node='{"apiVersion":"v1","kind":"Node","metadata":{"name":"n"},"status":{"allocatable":{"cpu":"4","pods":"9"}}}'
pod='{"apiVersion":"v1","kind":"Pod","metadata":{"name":"NAME"},"spec":{"containers":[{"name":"c"}]}}'
echo "$node" >"$work/node.json"

# with NAME: the pod with this name; escapes as in printf
with() {
  printf '%s%b%s\n' "${pod%NAME*}" "$1" "${pod#*NAME}"
}

# bad NAME TEXT: $work/NAME is refused with TEXT
bad() {
  complains "$1" 3 "$2" timeout 100 "$berth" schedule -f "$work/node.json" "$work/$1"
}

# ---- invalid UTF-8 ----

with 'a\xffb' >"$work/byte.json"
with 'a\xc0\x80' >"$work/overlong.json"
with 'a\xed\xa0\x80' >"$work/surrogate.json"
with 'a\xf4\x90\x80\x80' >"$work/beyond.json"
with 'a\xe2\x82' >"$work/cut.json"
with 'a\\ud800' >"$work/half.json"
for kind in byte overlong surrogate beyond cut; do
  bad "$kind.json" "$kind.json:1:"
  bad "$kind.json" "expected valid UTF-8"
done
# Half a surrogate pair becomes the replacement character, as in Go.
name=half
run 0 "$berth" schedule -q -f "$work/node.json" "$work/half.json" -o json
grep -qF $'"name": "a\xef\xbf\xbd"' "$work/out" || fail "half: $(head -c 1000 "$work/out")"
printf 'apiVersion: v1\nkind: Pod\nmetadata: {name: a\xff}\nspec: {containers: [{name: c}]}\n' >"$work/byte.yaml"
bad byte.yaml byte.yaml:3:

# ---- NUL ----

with 'a\x00b' >"$work/nul.json"
bad nul.json nul.json:1:
{
  with a
  printf '\0'
  with b
} >"$work/between.json"
bad between.json between.json:2:
printf 'apiVersion: v1\nkind: Pod\nmetadata: {name: a\0}\nspec: {containers: [{name: c}]}\n' >"$work/nul.yaml"
bad nul.yaml nul.yaml
printf 'apiVersion: kubescheduler.config.k8s.io/v1\nkind: \0KubeSchedulerConfiguration\n' >"$work/config"
complains config_nul 3 "$work/config" "$berth" schedule -f "$work/node.json" --config "$work/config"

# A NUL written as an escape is an ordinary character of a name.
{
  with 'a\\u0000b'
  with a
  with 'a\\u0000c'
} >"$work/names.json"
name=names
run 0 "$berth" schedule -q -f "$work/node.json" "$work/names.json" -o json
for text in '"name": "a\u0000b"' '"name": "a"' '"name": "a\u0000c"'; do
  grep -qF "$text" "$work/out" || fail "names: no $text: $(head -c 1000 "$work/out")"
done
with 'a\\u0000b' >>"$work/names.json"
bad names.json "already there"

# ---- compressed ----

# most KIB CODE FILE: berth schedule FILE exits with CODE and takes at most KIB more than with the node alone
most() {
  python3 - "$berth" "$work/node.json" "$work/$3" "$1" "$2" <<'END' || fail "$3"
import resource
import subprocess
import sys

berth, node, file, most, code = sys.argv[1:]


def run(*files):
    done = subprocess.run([berth, "schedule", "--threads", "1", "-q", "-f", *files],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=100)
    return done, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss


_, base = run(node)
done, resident = run(node, file)
if done.returncode != int(code):
    sys.exit(f"exit code {done.returncode}, expected {code}: {done.stderr[:500]}")
if resident - base > int(most):
    sys.exit(f"{resident - base} KiB above {base}, at most {most} are expected")
END
}

# 50 MB of spaces between two pods, 200 MB of brackets, the former compressed twice.
{
  with first
  head -c 50000000 /dev/zero | tr '\0' ' '
  with second
} | gzip -1 >"$work/blanks.gz"
head -c 200000000 /dev/zero | tr '\0' '[' | gzip -1 >"$work/brackets.gz"
gzip -c "$work/blanks.gz" >"$work/twice.gz"
name=blanks
run 0 "$berth" schedule -q -f "$work/node.json" "$work/blanks.gz" -o json
grep -qF '"name": "second"' "$work/out" || fail "blanks: $(head -c 1000 "$work/out")"
most 30000 0 blanks.gz
{
  printf '['
  with first
  printf ','
  head -c 50000000 /dev/zero | tr '\0' ' '
  with second
  printf ']'
} | gzip -1 >"$work/elements.gz"
most 30000 0 elements.gz
most 100000 3 brackets.gz
most 100000 3 twice.gz
finish
