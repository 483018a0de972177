# Google Benchmark's JSON to figures, one a line: NAME <tab> METRIC <tab> MEDIAN <tab> BEST. Times become
# nanoseconds under the metrics `real_ns` and `cpu_ns` (of the calling thread); the parts of a name that
# only tell how it was run are dropped. The best of a rate is its highest, of everything else its lowest.
# Errors go to the metric `error`.
function value_of(line)
{
  sub(/^[^:]*: /, "", line)
  sub(/,$/, "", line)
  gsub(/^"|"$/, "", line)
  return line
}
function key_of(line)
{
  sub(/^[ ]*"/, "", line)
  sub(/": .*/, "", line)
  return line
}
function note(metric, value, at)
{
  at = run SUBSEP metric
  if (!(at in count)) {
    order[++orders] = at
    names[at] = run
    metrics[at] = metric
  }
  values[at, ++count[at]] = value
}
function finish(    scale)
{
  if (kind != "iteration")
    return
  if (failed != "") {
    note("error", failed)
    return
  }
  scale = unit == "us" ? 1e3 : unit == "ms" ? 1e6 : unit == "s" ? 1e9 : 1
  note("real_ns", real * scale)
  note("cpu_ns", cpu * scale)
  for (i = 1; i <= extras; i++)
    note(extra[i], extra_value[i])
}
/"benchmarks": \[/ { inside = 1; next }
!inside { next }
/^    \{/ {
  run = kind = failed = ""
  extras = 0
  next
}
/^    \}/ { finish(); next }
/^      "/ {
  key = key_of($0)
  value = value_of($0)
  if (key == "run_name") {
    run = value
    sub(/\/real_time$/, "", run)
    sub(/\/iterations:[0-9]+/, "", run)
  } else if (key == "run_type") {
    kind = value
  } else if (key == "real_time") {
    real = value
  } else if (key == "cpu_time") {
    cpu = value
  } else if (key == "time_unit") {
    unit = value
  } else if (key == "error_message") {
    failed = value
  } else if (key !~ /^(name|family_index|per_family_instance_index|repetitions|repetition_index|threads|iterations|error_occurred|aggregate_name|aggregate_unit)$/) {
    extra[++extras] = key
    extra_value[extras] = value
  }
}
END {
  for (o = 1; o <= orders; o++) {
    at = order[o]
    n = count[at]
    for (i = 2; i <= n; i++) # few repetitions: insertion
      for (j = i; j > 1 && values[at, j] + 0 < values[at, j - 1] + 0; j--) {
        kept = values[at, j]
        values[at, j] = values[at, j - 1]
        values[at, j - 1] = kept
      }
    middle = int((n + 1) / 2)
    median = n % 2 == 1 ? values[at, middle] : (values[at, middle] + values[at, middle + 1]) / 2
    best = metrics[at] ~ /_per_second$/ ? values[at, n] : values[at, 1]
    if (metrics[at] == "error")
      printf "%s\terror\t%s\t%s\n", names[at], values[at, 1], values[at, 1]
    else
      printf "%s\t%s\t%.7g\t%.7g\n", names[at], metrics[at], median, best
  }
}
