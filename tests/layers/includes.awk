# Reads grep's lines "FOLDER/ROOM/FILE:LINE:#include "HEADER"...". Variables: folder; rooms, the order;
# depth, how many folders lead to a room; least, what must be found.
# Prints each include of a later room, or of what is neither a room's nor installed; exits 1 then.
BEGIN {
  count = split(rooms, name, " ")
  for (i = 1; i <= count; i++)
    rank[name[i]] = i
}
{
  split($0, part, "/")
  from = part[depth + 1]
  header = $0
  sub(/^[^"]*"/, "", header)
  sub(/".*/, "", header)
  to = header
  sub(/\/[^\/]*$/, "", to) # its folder
  if (depth == 1)
    sub(/\/.*/, "", to)
  else if (!sub(/^live\//, "", to))
    next # an earlier room of the tools
  lines++
  if (to == "berth" || (to in rank && rank[to] <= rank[from]))
    next
  print $0
  bad = 1
}
END {
  printf "%d includes in %s\n", lines, folder
  exit bad || lines < least
}
