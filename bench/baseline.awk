# bench/baseline.json, one row a line, to figures as median.awk writes them, under the names
# kube/WORKLOAD/nodes:N/sampling:S.
function field(key, value)
{
  value = $0
  if (!sub(".*\"" key "\": \"?", "", value))
    return ""
  sub(/["},].*/, "", value)
  return value
}
/"pods_per_second":/ {
  name = "kube/" field("workload") "/nodes:" field("nodes") "/sampling:" (field("percentage") == 100 ? "all" : "default")
  printf "%s\titems_per_second\t%s\t%s\n", name, field("pods_per_second"), field("pods_per_second")
  printf "%s\tp50_us\t%s\t%s\n", name, field("p50_us"), field("p50_us")
  printf "%s\tp99_us\t%s\t%s\n", name, field("p99_us"), field("p99_us")
}
