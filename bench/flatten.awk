# Google Benchmark's JSON to figures (median.awk). Times become nanoseconds under the metrics
# `real_ns` and `cpu_ns` (of the calling thread); the parts of a name that only tell how it was run
# are dropped. Errors go to the metric `error`.
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
function finish(    scale)
{
  if (kind != "iteration")
    return
  if (failed != "") {
    note(run, "error", failed)
    return
  }
  scale = unit == "us" ? 1e3 : unit == "ms" ? 1e6 : unit == "s" ? 1e9 : 1
  note(run, "real_ns", real * scale)
  note(run, "cpu_ns", cpu * scale)
  for (i = 1; i <= extras; i++)
    note(run, extra[i], extra_value[i])
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
