# Reads nm's lines "ARCHIVE[OBJECT]: SYMBOL TYPE ...". Variables: rooms, the order; files, a list of
# sources with their folders; depth, how many folders lead to a room; least, what must be found. Prints
# each use of a symbol that a later room defines; exits 1 then. Other objects of the archive are passed
# over.
BEGIN {
  count = split(rooms, name, " ")
  for (i = 1; i <= count; i++)
    rank[name[i]] = i
  while ((getline path < files) > 0) {
    parts = split(path, part, "/")
    room_of[part[parts] ".o"] = part[depth + 1]
  }
}
{
  object = $1
  sub(/^[^[]*\[/, "", object)
  sub(/\]:$/, "", object)
  if (!(object in room_of))
    next
  if ($3 == "U") {
    user[++uses] = object
    used[uses] = $2
  } else if ($3 ~ /^[A-TV-Z]$/ && !($2 in definer)) {
    definer[$2] = object
    definitions++
  }
}
END {
  for (i = 1; i <= uses; i++) {
    if (!(used[i] in definer))
      continue
    from = room_of[user[i]]
    to = room_of[definer[used[i]]]
    inside += from == to
    if (rank[to] > rank[from]) {
      printf "%s/%s uses %s of %s/%s\n", from, user[i], used[i], to, definer[used[i]]
      bad = 1
    }
  }
  printf "%d symbols, %d uses of them\n", definitions, uses
  if (definitions < least || inside < least) {
    print "hardly any were found"
    bad = 1
  }
  exit bad
}
