# The samples of `perf script -F comm,ip,sym,dso` to call chains, outermost first, one chain a line:
# "berth;main;run 12", the number being how often it was met. A kernel's functions end in "_[k]".
function flush(    chain, i)
{
  if (depth == 0)
    return
  chain = command
  for (i = depth; i > 0; i--)
    chain = chain ";" frames[i]
  count[chain]++
  depth = 0
}
/^[ \t]*$/ { flush(); next }
/^[^ \t]/ {
  flush()
  command = $1
  next
}
{
  sub(/^[ \t]*[0-9a-f]+ /, "")
  module = $0
  sub(/^.*\(/, "", module)
  sub(/\)$/, "", module)
  sub(/ \([^(]*\)$/, "")
  sub(/\+0x[0-9a-f]+$/, "")
  gsub(/;/, ":")
  if ($0 == "[unknown]") {
    sub(/.*\//, "", module)
    $0 = "[" module "]"
  }
  gsub(/\[\[/, "[")
  gsub(/\]\]/, "]")
  frames[++depth] = module ~ /kernel|^\[k/ ? $0 "_[k]" : $0
}
END {
  flush()
  for (chain in count)
    print chain, count[chain]
}
