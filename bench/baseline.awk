# A file of kube-scheduler's figures (baseline.json, baseline-1.37.json), one row a line, to figures as
# median.awk writes them, under the names OF/WORKLOAD/nodes:N/sampling:S; -v of=kube or -v of=kube-1.37.
function field(key, value)
{
  value = $0
  if (!sub(".*\"" key "\": \"?", "", value))
    return ""
  sub(/["},].*/, "", value)
  return value
}
/"pods_per_second":/ {
  name = of "/" field("workload") "/nodes:" field("nodes") "/sampling:" (field("percentage") == 100 ? "all" : "default")
  printf "%s\titems_per_second\t%s\t%s\n", name, field("pods_per_second"), field("pods_per_second")
  printf "%s\tp50_us\t%s\t%s\n", name, field("p50_us"), field("p50_us")
  printf "%s\tp99_us\t%s\t%s\n", name, field("p99_us"), field("p99_us")
}
