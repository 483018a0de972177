# Values of several repetitions to figures, one a line: NAME <tab> METRIC <tab> MEDIAN <tab> BEST, in
# the order in which they were first noted. The best of a rate is its highest, of everything else its
# lowest; of the metric `error` both are the first. For scripts that read repetitions: flatten.awk,
# dump.awk.
function note(name, metric, value,    at)
{
  at = name SUBSEP metric
  if (!(at in count)) {
    order[++orders] = at
    names[at] = name
    metrics[at] = metric
  }
  values[at, ++count[at]] = value
}
function sort_values(at, n,    i, j, kept)
{
  for (i = 2; i <= n; i++) # few repetitions: insertion
    for (j = i; j > 1 && values[at, j] + 0 < values[at, j - 1] + 0; j--) {
      kept = values[at, j]
      values[at, j] = values[at, j - 1]
      values[at, j - 1] = kept
    }
}
function print_figure(at, n,    middle, median, best)
{
  sort_values(at, n)
  middle = int((n + 1) / 2)
  median = n % 2 == 1 ? values[at, middle] : (values[at, middle] + values[at, middle + 1]) / 2
  best = metrics[at] ~ /_per_second$/ ? values[at, n] : values[at, 1]
  if (metrics[at] == "error")
    printf "%s\terror\t%s\t%s\n", names[at], values[at, 1], values[at, 1]
  else
    printf "%s\t%s\t%.7g\t%.7g\n", names[at], metrics[at], median, best
}
END {
  for (o = 1; o <= orders; o++)
    print_figure(order[o], count[order[o]])
}
