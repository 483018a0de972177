#!/usr/bin/env bash
# Every berth_ and BERTH_ name, and every path of this tree, that a comment or a document cites exists.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/words/files.sh
source "$here/files.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
hand_written >"$work/files"
cd "$BERTH_SOURCE"
xargs awk -f "$here/split.awk" <"$work/files" >"$work/words"
grep -c '^name' "$work/words" >"$work/count"

# A name is an identifier of the code; BERTH_##name is composed of two parts, so the second half
# counts alone.
awk '
  $1 == "code" { code[$2] = 1; next }
  $1 != "name" { next }
  { cited[$4] = cited[$4] == "" ? $2 ":" $3 : cited[$4] }
  END {
    for (name in cited) {
      stem = name
      found = name in code
      if (stem ~ /^berth_/)
        sub(/[A-Z][A-Z]+.*$/, "*", stem) # NAME and SYMBOL stand for any name
      if (sub(/[*]$/, "", stem) || stem ~ /_$/)
        for (known in code)
          found = found || index(known, stem) == 1
      if (!found)
        print cited[name] ": there is no " name
    }
  }' "$work/words" >"$work/missing"

# A path belongs to this tree if it begins with one of its folders or has the extension of one of
# its files; it may be relative to the root, to engine/, to the headers, to tools/ or tests/, or to
# the file that cites it.
exists() {
  local found
  for folder in . engine engine/include tools tests "$(dirname "$1")"; do
    for found in $folder/$2; do # a pattern may match several
      [[ -e $found ]] && return
    done
  done
  return 1
}
# NAME and SUBJECT stand for any name.
placeholders() {
  if [[ $1 == *[A-Z][A-Z][A-Z][A-Z]* && $1 != *README* ]]; then
    sed -E 's/[A-Z]{4,}/*/g' <<<"$1"
  else
    echo "$1"
  fi
}
while read -r file line path; do
  path=${path%%[.,]}
  path=$(placeholders "${path%/}")
  case $path in
    *..* | *//* | -* | build/* | *.go | *.json | *.gz | */out/* | [Uu]nix/* | std*.h) continue ;;
    engine/* | tests/* | tools/* | bench/* | perf/* | berth/*.h | berth/*.hpp | .ci/*) ;;
    *.c | *.h | *.cc | *.sh | *.md | *.awk | *.pml) ;;
    *) continue ;;
  esac
  if [[ $path == *'{'* ]]; then
    mapfile -t all < <(eval "printf '%s\n' $path" 2>/dev/null || true)
  else
    all=("$path")
  fi
  for one in "${all[@]}"; do
    exists "$file" "$one" || echo "$file:$line: there is no $one"
  done
done < <(sed -n 's/^path //p' "$work/words" | sort -u) >>"$work/missing"

# A file named without its folder must exist somewhere in the tree.
sed 's,.*/,,' "$work/files" | sort -u >"$work/known"
while read -r file line name; do
  [[ $name == std*.h ]] && continue
  pattern=$(placeholders "$name")
  pattern=${pattern//./[.]}
  grep -qx "${pattern//\*/.*}" "$work/known" && continue
  echo "$file:$line: there is no $name"
done < <(sed -n 's/^file //p' "$work/words" | sort -u) >>"$work/missing"

sort "$work/missing"
echo "$(<"$work/count") names cited, $(wc -l <"$work/missing") missing"
[[ ! -s $work/missing ]]
