# JSON lines of `berth bench --load`, each with its name under "dump", to figures (median.awk).
# `peak_to_cluster` is what was resident at the peak of the whole process, the program included,
# divided by what the engine holds.
function number(key,    s)
{
  s = $0
  sub(".*\"" key "\": ", "", s)
  sub(/[,}].*/, "", s)
  return s + 0
}
{
  name = $0
  sub(/.*"dump": "/, "", name)
  sub(/".*/, "", name)
  name = name "/nodes:" number("nodes") "/running:" number("running")
  note(name, "bytes_per_second", number("read_megabytes_per_second") * 1e6)
  note(name, "text_bytes", number("read_bytes"))
  note(name, "cluster_bytes", number("cluster_bytes"))
  note(name, "peak_rss_bytes", number("peak_rss_bytes"))
  note(name, "peak_to_cluster", number("peak_rss_bytes") / number("cluster_bytes"))
}
