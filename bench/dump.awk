# JSON lines of `berth bench --load`, each with its name under "dump", to figures as flatten.awk
# writes them: NAME <tab> METRIC <tab> MEDIAN <tab> BEST. `peak_to_cluster` is what was resident at
# the peak of the whole process, the program included, divided by what the engine holds.
function number(key,    s)
{
  s = $0
  sub(".*\"" key "\": ", "", s)
  sub(/[,}].*/, "", s)
  return s + 0
}
function note(metric, value,    at)
{
  at = name SUBSEP metric
  if (!(at in count)) {
    order[++orders] = at
    names[at] = name
    metrics[at] = metric
  }
  values[at, ++count[at]] = value
}
{
  name = $0
  sub(/.*"dump": "/, "", name)
  sub(/".*/, "", name)
  name = name "/nodes:" number("nodes") "/running:" number("running")
  note("bytes_per_second", number("read_megabytes_per_second") * 1e6)
  note("text_bytes", number("read_bytes"))
  note("cluster_bytes", number("cluster_bytes"))
  note("peak_rss_bytes", number("peak_rss_bytes"))
  note("peak_to_cluster", number("peak_rss_bytes") / number("cluster_bytes"))
}
END {
  for (o = 1; o <= orders; o++) {
    at = order[o]
    n = count[at]
    for (i = 2; i <= n; i++) # few repetitions: insertion
      for (j = i; j > 1 && values[at, j] < values[at, j - 1]; j--) {
        kept = values[at, j]
        values[at, j] = values[at, j - 1]
        values[at, j - 1] = kept
      }
    middle = int((n + 1) / 2)
    median = n % 2 == 1 ? values[at, middle] : (values[at, middle] + values[at, middle + 1]) / 2
    printf "%s\t%s\t%.7g\t%.7g\n", names[at], metrics[at], median, \
      metrics[at] ~ /_per_second$/ ? values[at, n] : values[at, 1]
  }
}
