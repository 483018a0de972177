# Call chains of collapse.awk, sorted, to a flame graph in SVG. -v title=T.
# Sorted chains that share their first frames are neighbours, so one pass does: a box begins where its
# frame first appears and ends where a chain without it comes.
function escape(text)
{
  gsub(/&/, "\\&amp;", text)
  gsub(/</, "\\&lt;", text)
  gsub(/>/, "\\&gt;", text)
  gsub(/"/, "\\&quot;", text)
  return text
}
# A number of 0..99 that depends on the text alone.
function shade(text,    i, sum)
{
  for (i = 1; i <= length(text); i++)
    sum = (sum * 31 + index(letters, substr(text, i, 1))) % 1009
  return sum % 100
}
# The kernel is red, Berth green, everything else yellow.
function colour(text,    s)
{
  s = shade(text)
  if (text ~ /_\[k\]$/)
    return sprintf("rgb(%d,%d,%d)", 225 + s * 0.25, 95 + s * 0.4, 80 + s * 0.3)
  if (text ~ /berth/)
    return sprintf("rgb(%d,%d,%d)", 105 + s * 0.5, 185 + s * 0.4, 100 + s * 0.4)
  return sprintf("rgb(%d,%d,%d)", 235 + s * 0.2, 200 + s * 0.3, 90 + s * 0.4)
}
function close_box(level)
{
  boxes++
  box_name[boxes] = open_name[level]
  box_level[boxes] = level
  box_from[boxes] = open_at[level]
  box_to[boxes] = at
  if (level > highest)
    highest = level
}
BEGIN {
  letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:.[]<>~ "
  width = 1200
  row = 17
}
{
  samples = $NF + 0
  sub(/ [0-9]+$/, "")
  depth = split($0, frame, ";")
  same = 0
  while (same < depth && same < open_depth && frame[same + 1] == open_name[same + 1])
    same++
  for (level = open_depth; level > same; level--)
    close_box(level)
  for (level = same + 1; level <= depth; level++) {
    open_name[level] = frame[level]
    open_at[level] = at
  }
  open_depth = depth
  at += samples
}
END {
  for (level = open_depth; level > 0; level--)
    close_box(level)
  height = (highest + 3) * row
  printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" ", width, height
  printf "viewBox=\"0 0 %d %d\" font-family=\"monospace\" font-size=\"11\">\n", width, height
  printf "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n", width, height
  printf "<text x=\"8\" y=\"14\">%s: %d samples; point at a box for its name and share</text>\n", escape(title), at
  for (b = 1; b <= boxes; b++) {
    w = (box_to[b] - box_from[b]) / at * width
    if (w < 0.3)
      continue
    x = box_from[b] / at * width
    y = height - (box_level[b] + 1) * row
    printf "<g><title>%s: %d samples, %.2f %%</title>", escape(box_name[b]), box_to[b] - box_from[b], \
      (box_to[b] - box_from[b]) / at * 100
    printf "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\" stroke=\"#fff\" stroke-width=\"0.5\"/>", \
      x, y, w, row - 1, colour(box_name[b])
    letters_max = int((w - 6) / 6.7)
    if (letters_max >= 3) {
      label = box_name[b]
      if (length(label) > letters_max)
        label = substr(label, 1, letters_max - 2) ".."
      printf "<text x=\"%.1f\" y=\"%d\">%s</text>", x + 3, y + 12, escape(label)
    }
    print "</g>"
  }
  print "</svg>"
}
