# A file of callgrind (--compress-strings=no) to the instructions of each function itself: FILE:NAME
# <tab> COUNT. What the compiler appends to the name of a part or a copy is dropped.
/^fl=/ {
  file = substr($0, 4)
  sub(/.*\//, "", file)
  next
}
/^fn=/ {
  name = file ":" substr($0, 4)
  sub(/'[0-9]+$/, "", name)
  sub(/\.(isra|part|constprop|cold|lto_priv).*$/, "", name)
  next
}
/^calls=/ { callee = 1; next }
/^[0-9+*-]/ {
  if (callee)
    callee = 0 # what was called is counted with the callee
  else
    self[name] += $2
}
END {
  for (name in self)
    printf "%s\t%d\n", name, self[name]
}
