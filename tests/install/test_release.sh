#!/usr/bin/env bash
# tools/release: a dry run of the next minor version makes packages of that version and changes
# nothing else; a release that is not allowed is refused with a reason.
set -euo pipefail
git -C "$BERTH_SOURCE" rev-parse HEAD >/dev/null 2>&1 || {
  echo "skipped: not a git checkout"
  exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git clone --quiet "$BERTH_SOURCE" "$work/clone"
cd "$work/clone"
git config user.name nobody
git config user.email nobody@example.com
IFS=. read -r major minor patch < <(sed -nE 's/^project\(berth VERSION ([0-9.]+) .*/\1/p' CMakeLists.txt)
next=$major.$((minor + 1)).0

refused() { # VERSION CODE REASON
  local code=0
  tools/release "$1" >"$work/out" 2>&1 || code=$?
  if [[ $code != "$2" ]] || ! grep -qF -- "$3" "$work/out"; then
    echo "tools/release $1: exit code $code, expected $2 and '$3'" >&2
    cat "$work/out" >&2
    exit 1
  fi
}
refused nonsense 2 "usage:"
refused --go 2 "usage:"
touch uncommitted
refused "$next" 1 "not committed"
rm uncommitted
[[ $major.$minor.$patch == 0.0.0 ]] || refused 0.0.0 1 "0.0.0 is older than"
git tag "v$next"
refused "$next" 1 "there is a tag v$next already"
git tag --delete "v$next" >/dev/null
sed -i '/^## Unreleased/,/^## [0-9]/{/^- /d}' CHANGELOG.md
git commit --quiet --all --message "nothing to tell"
refused "$next" 1 "nothing under Unreleased"
git reset --quiet --hard HEAD~

tools/release --dry-run "$next" >"$work/out" 2>&1 || {
  tail -n 40 "$work/out" >&2
  exit 1
}
grep -qF "dry run: no commit and no tag was made" "$work/out"
grep -qE "[0-9a-f]{64}  \./.*_${next//./\\.}" "$work/out"
export LD_LIBRARY_PATH=$PWD/build-release/lib
[[ $(build-release/bin/berth --version | head -n 1) == "berth $next" ]]
[[ -z $(git status --porcelain) && -z $(git tag) ]]
