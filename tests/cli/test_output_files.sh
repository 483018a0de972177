#!/usr/bin/env bash
# Output files are either the complete new ones or the old ones. If the disk is full, the old file stays
# unchanged and no other file is left beside it. (tests/unit/test_output_file.c tests the other rules.)
# shellcheck source=tests/cli/cases.sh
. ./cases.sh

old() {
  mkdir -p "$1"
  for name in page.html report.json series.csv waits.csv pods.csv; do
    echo old >"$1/$name"
  done
}

# unchanged NAME FOLDER
unchanged() {
  local name
  for name in page.html report.json series.csv waits.csv pods.csv; do
    [[ $(cat "$2/$name") == old ]] || fail "$1: $name has changed"
  done
  [[ $(find "$2" -type f | wc -l) == 5 ]] || fail "$1: $(ls "$2")"
}

# A file may not grow beyond one block of 1,024 bytes, which simulates a full disk.
old "$work/full"
(ulimit -f 1 && exec "$berth" report -f data/nodes.yaml -f data/pods.json -o "$work/full/page.html") \
  2>"$work/said" && fail "a page on a full disk"

grep -qE "page.html: (File too large|some of it could not be written)" "$work/said" || fail "report: $(cat "$work/said")"
unchanged "report on a full disk" "$work/full"

(ulimit -f 1 && exec "$berth" replay --pods -o "$work/full" data/replay_life.jsonl) \
  >/dev/null 2>"$work/said" && fail "a replay on a full disk"
grep -qE "File too large|could not be written" "$work/said" || fail "replay: $(cat "$work/said")"
[[ $(find "$work/full" -name '*.??????' | wc -l) == 0 ]] || fail "replay: $(ls "$work/full")"
for name in page.html report.json; do
  [[ $(cat "$work/full/$name") == old ]] || fail "replay: $name has changed"
done

# A folder in which no file can be created.
mkdir "$work/closed" && old "$work/closed"
if [[ $(id -u) != 0 ]]; then
  chmod a-w "$work/closed"
  "$berth" report -f data/nodes.yaml -o "$work/closed/page.html" 2>/dev/null && fail "a closed folder"
  chmod u+w "$work/closed"
fi
unchanged "a closed folder" "$work/closed"

# A new file has the mode that umask allows, a link keeps its target, and a pipe is written to.
"$berth" report -f data/nodes.yaml -o "$work/wanted.html" || fail report
chmod 6777 "$work/full/page.html"
umask 027
ln -s full/page.html "$work/link.html"
"$berth" report -f data/nodes.yaml -o "$work/link.html" || fail link
[[ -L $work/link.html && $(stat -c %a "$work/full/page.html") == 640 ]] || fail "link or mode"
same link "$work/wanted.html" "$work/full/page.html"
mkfifo "$work/pipe"
cat "$work/pipe" >"$work/piped.html" &
"$berth" report -f data/nodes.yaml -o "$work/pipe" || fail pipe
wait $!
same pipe "$work/wanted.html" "$work/piped.html"

# A link that another user planted is not followed, neither by a page nor by a picture.
if [[ $(id -u) == 0 ]]; then
  echo secret >"$work/secret"
  mkdir -m 1777 "$work/shared"
  for name in page.html report.json queue.svg; do
    ln -s ../secret "$work/shared/$name"
    chown --no-dereference 12345 "$work/shared/$name"
  done
  complains planted_page 3 "page.html: a symbolic link in its path belongs to another user" \
    "$berth" report -f data/nodes.yaml -o "$work/shared/page.html"
  "$berth" replay -o "$work/shared" data/replay_life.jsonl >/dev/null 2>"$work/said" && fail "planted report"
  grep -q "report.json: a symbolic link" "$work/said" || fail "planted report: $(cat "$work/said")"
  rm "$work/shared/report.json"
  "$berth" replay -o "$work/shared" data/replay_life.jsonl >/dev/null 2>&1 || fail "planted picture"
  [[ $(cat "$work/secret") == secret ]] || fail "planted: a link was followed"
fi
finish
