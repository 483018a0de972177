#!/usr/bin/env bash
# A room uses only the rooms before it in their order: no object file uses a symbol of a later room, and no
# file includes a header of one, so rooms have no cycles. Tools and the benchmarks from outside include only
# installed headers. The rooms of tools/live have an order of their own.
# Usage: test_layers.sh ENGINE_ARCHIVE "ROOM..." TOOLS_ARCHIVE "ROOM..." "ROOM_OF_LIVE..."
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

# Every room is in the order, and every file name is unique, because objects are identified by it.
rooms_are() {
  local folder=$1 rooms=$2 room
  shift 2
  depth=$(tr -cd / <<<"$folder/" | wc -c)
  least=$((depth == 1 ? 100 : 1)) # fewer would mean that they were not found
  for room in "$folder"/*/; do
    room=$(basename "$room")
    [[ " $rooms $* " == *" $room "* ]] || {
      echo "$folder/$room is missing in the order of rooms"
      status=1
    }
  done
  for room in $rooms; do
    if [[ -d $folder/$room ]]; then
      find "$folder/$room" -name '*.[ch]' -o -name '*.cc'
    fi
  done | sort >"$work/files"
  sed 's|.*/||' "$work/files" | uniq -d >"$work/twice"
  if [[ -s $work/twice ]]; then
    echo "two files of one name: $(tr '\n' ' ' <"$work/twice")"
    status=1
  fi
}

# symbols ARCHIVE "ROOM...": prints uses of symbols of a later room.
symbols() {
  nm --print-file-name --format=posix "$1" |
    awk -v rooms="$2" -v depth="$depth" -v least="$least" -v files="$work/files" -f tests/layers/symbols.awk || status=1
}

# includes FOLDER "ROOM...": prints lines that include a header of a later room or of no room.
includes() {
  xargs grep -nE '^#include "' <"$work/files" |
    awk -v folder="$1" -v depth="$depth" -v least="$least" -v rooms="$2" -f tests/layers/includes.awk || status=1
}

rooms_are engine "$2" include package bindings
symbols "$1" "$2"
includes engine "$2"
rooms_are tools "$4" examples schemas site
symbols "$3" "$4"
includes tools "$4"
rooms_are tools/live "$5" deploy
symbols "$3" "$5"
includes tools/live "$5"

# From outside: installed headers, and the parts of the program.
if grep -nE '^#include "' engine/include/berth/*.h tools/examples/*.c tools/berth.c bench/macro_*.[ch] |
  grep -vE ":#include \"(berth/|(${4// /|})/|[a-z_]+\.h\")"; then
  echo "the above sees the engine's inside"
  status=1
fi
# kube/ and config/ translate text. Apart from base/, text/ and the public headers, they may use
# only the rooms listed here; text/ may use only base/.
doors='api/daemon_nodes|legacy/legacy|model/(behaviours|labels|model)|objects/(fields?|object_copy|sized_object)|plugins/profile_lists'
if grep -nE '^#include "' engine/kube/*.[ch] engine/config/*.[ch] |
  grep -vE ":#include \"(berth/|kube/|config/|text/|base/|($doors)\.h\")" ||
  grep -nE '^#include "' engine/text/*.[ch] engine/text/*.cc | grep -vE ':#include "(berth|text|base)/'; then
  echo "the above is none of the rooms that the file's room may look into"
  status=1
fi
# The files and folders at the top level that git tracks.
if tracked=$(git ls-files 2>/dev/null) && sed -n 's|/.*||; /^\./!p' <<<"$tracked" | sort -u |
  grep -vxE 'engine|bench|perf|tests|tools|(CHANGELOG|CONTRIBUTING|README|SECURITY)\.md|CMakeLists\.txt|LICENSE|'; then
  echo "the above does not belong at the top level"
  status=1
fi
exit $status
