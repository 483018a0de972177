#!/usr/bin/env bash
# Every member of the structs in berth/objects.h, object_parts.h and devices.h has a line in a table of
# fields (engine/objects/fields_*.c), or stands here with a reason: a member without a line is neither read
# nor written, and a copy of its object would point into the original.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../engine"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Members that no table has to list: those of the containers that the field types themselves describe, and
# plain values that are not fields of JSON.
cat >"$work/others" <<'END'
berth_key_value.key
berth_key_value.value
berth_map.entries
berth_map.count
berth_strs.items
berth_strs.count
berth_resource.name
berth_resources.items
berth_resources.count
berth_requirements.items
berth_requirements.count
berth_node_affinity.required
berth_node_affinity.preferred
berth_node_affinity.preferred_count
berth_pod_affinity.present
berth_count_or_percent.given
berth_count_or_percent.percent
berth_count_or_percent.value
berth_volume_source.kind
berth_slice_attribute.name
berth_slice_attribute.kind
berth_slice_attribute.number
berth_slice_capacity.name
berth_pod.template_id
END

# STRUCT.MEMBER of the headers, without comments; `later` belongs to no version yet.
sed -zE 's,/\*([^*]|\*+[^*/])*\*+/,,g' include/berth/objects.h include/berth/object_parts.h include/berth/devices.h |
  awk '
    /^typedef struct berth_[a-z_]+ \{/ { struct = $3; next }
    /^}/ { struct = "" }
    struct != "" && /;/ {
      line = $0
      sub(/;.*/, "", line)
      count = split(line, parts, ",")
      for (i = 1; i <= count; i++) {
        name = parts[i]
        gsub(/^.*[ *]/, "", name)
        if (name != "later" && struct != "berth_object" && name ~ /^[a-z_]+$/)
          print struct "." name
      }
    }' | sort -u >"$work/members"

# The members that a line of a table names; a line may name a part of a member.
cat objects/fields_*.c kube/forms_volume.c | tr -d '\134' | tr -s '\n ' ' ' |
  grep -oE '(berth_[a-z_]+, )([a-z_.]+, ?)*[a-z_.]+' |
  awk -F', *' '{ for (i = 2; i <= NF; i++) { sub(/\..*/, "", $i); print $1 "." $i } }' |
  sort -u >"$work/listed"

[[ $(wc -l <"$work/members") -gt 150 ]] || {
  echo "only $(wc -l <"$work/members") members were found"
  exit 1
}
sort -u "$work/listed" "$work/others" | comm -23 "$work/members" - >"$work/missing"
if [[ -s $work/missing ]]; then
  echo "no table of fields lists:"
  cat "$work/missing"
  exit 1
fi
sort "$work/others" | comm -13 "$work/members" - >"$work/gone"
if [[ -s $work/gone ]]; then
  echo "excepted here, but not in the headers:"
  cat "$work/gone"
  exit 1
fi
echo "$(wc -l <"$work/members") members"
