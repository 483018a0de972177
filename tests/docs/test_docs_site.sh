#!/usr/bin/env bash
# Builds the site, and checks that its links lead to files and anchors of the site, that it has every how-to in
# every language, and that the references name what they should. Then breaks a link: the check must find it.
set -euo pipefail

skip() {
  echo "skipped: $1; to run it: tools/setup --docs"
  exit 77
}

fail() {
  echo "docs: $*" >&2
  exit 1
}

command -v doxygen >/dev/null || skip "doxygen is not installed"
/usr/bin/python3 -c 'import markdown' 2>/dev/null || python3 -c 'import markdown' 2>/dev/null ||
  skip "python3-markdown is not installed"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
docs=$BERTH_SOURCE/tools/docs
site=$work/site
"$docs" --build "$BERTH_BUILD" --check "$site" | tee "$work/printed"

cd "$site"
for page in index pages/README pages/tools/TOUR api/c/index api/python/index howtos/index; do
  [[ -s $page.html ]] || fail "$page.html is missing"
done
for howto in "$BERTH_SOURCE"/tools/site/howtos/*.md; do
  name=$(basename "$howto" .md)
  [[ $name != index ]] || continue
  page=howtos/$name.html
  grep -q "href=\"$name.html\"" howtos/index.html || fail "the list of how-tos lacks $name"
  grep -q "href=\"$page\"" index.html || fail "the first page lacks $name"
  for ending in c go py out; do
    grep -q "<summary>.*\.$ending</a>" "$page" || fail "$page shows no file that ends in .$ending"
  done
done
# The pages show the programs and their output byte for byte.
python3 - "$BERTH_SOURCE/tools/site/howtos" howtos <<'END' || fail "a how-to does not show a file as it is"
import html, pathlib, re, sys
sources, pages = map(pathlib.Path, sys.argv[1:])
for source in sources.glob("*.md"):
    page = (pages / source.name).with_suffix(".html").read_text()
    for link in re.findall(r"^\[.*\]\((.*)\)$", source.read_text(), re.M):
        if html.escape((source.parent / link).read_text()) not in page:
            sys.exit(f"{source.name}: {link}")
END
for howto in what-if gang-queue consolidation live-copy own-plugin; do
  [[ -s howtos/$howto.html ]] || fail "there is no how-to $howto"
done

grep -q 'berth_engine_schedule_group' api/c/transaction_8h.html || fail "C: berth_engine_schedule_group is missing"
grep -q 'workers, including the calling thread' api/c/structberth__engine__config.html ||
  fail "C: the comment on a member is missing"
grep -q 'id="Cluster.schedule"' api/python/index.html || fail "Python: Cluster.schedule is missing"
if ! grep -q 'left out: api/go' "$work/printed"; then
  grep -q 'id="Engine.Schedule"' api/go/index.html || fail "Go: Engine.Schedule is missing"
fi
if ! grep -q 'left out: man' "$work/printed"; then
  grep -q -- '--live' man/berth-schedule.html || fail "the manual page of berth schedule is missing"
fi

# The check finds a broken link, a broken anchor and a script from elsewhere.
cat >broken.html <<'END'
<a href="nowhere.html">a</a> <a href="index.html#nowhere">b</a> <script src="https://example.com/a.js"></script>
END
if "$BERTH_SOURCE/tools/site/check_links.py" . >"$work/found"; then
  fail "the check accepted a broken page"
fi
(($(grep -c '^broken.html' "$work/found") == 4)) || fail "the check found: $(cat "$work/found")"

# A folder that is not a site is left alone, and usage errors are reported.
mkdir "$work/files"
touch "$work/files/mine"
code=0
"$docs" --build "$BERTH_BUILD" "$work/files" 2>"$work/message" || code=$?
[[ $code == 3 && -e $work/files/mine ]] || fail "a folder with other files was not refused"
code=0
"$docs" --nonsense 2>"$work/message" || code=$?
[[ $code == 2 ]] || fail "a wrong option was accepted"
"$docs" --help | grep -q '^Usage: tools/docs' || fail "there is no help"
