#!/usr/bin/env bash
# Every link of the installed library's page leads to an installed file.
# shellcheck source=tests/install/installed.sh
. ./installed.sh
cd "$work/prefix/share/doc/libberth-dev"
count=0
while IFS= read -r link; do
  case $link in
    http*) ;;
    \#*) ;;
    *)
      [[ -f $link ]] || { echo "README.md links to $link, which is not installed" >&2 && exit 1; }
      count=$((count + 1))
      ;;
  esac
done < <(grep -o ']([^)]*)' README.md | sed 's/^](//; s/)$//')
((count >= 3))
echo "$count links"
