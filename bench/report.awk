# Figures (median.awk) and kube-scheduler's (baseline.awk) to Markdown.
# -v part=results: perf/RESULTS.md below its heading; part=readme: the table of README; part=plots: the
# data files of plots.gp, into the folder -v folder=F.
BEGIN { FS = "\t" }
{
  median[$1, $2] = $3
  best[$1, $2] = $4
  if (!($1 in seen)) {
    seen[$1] = 1
    name[++names] = $1
  }
}

# ---- reading ----
function has(run, metric) { return (run, metric) in median }
function decide(workload, nodes, running, sampling, path, threads)
{
  return "decide/" workload "/nodes:" nodes "/running:" running "/sampling:" sampling \
    "/path:" path "/threads:" threads
}
function cold(pods, nodes, threads) { return "cold/" pods "/nodes:" nodes "/threads:" threads }
# kube-scheduler's algorithm: v1.32.2 on a similar machine, which goals are about, and v1.37.2 on this one.
function kube(workload, nodes, sampling) { return "kube/" workload "/nodes:" nodes "/sampling:" sampling }
function newest(workload, nodes, sampling) { return "kube-1.37/" workload "/nodes:" nodes "/sampling:" sampling }
function field(run, key,    at, rest)
{
  at = index(run, "/" key ":")
  if (at == 0)
    return ""
  rest = substr(run, at + length(key) + 2)
  sub(/\/.*/, "", rest)
  return rest
}

# ---- writing ----
function thousands(n,    s, out)
{
  s = sprintf("%.0f", n)
  out = ""
  while (length(s) > 3) {
    out = "," substr(s, length(s) - 2) out
    s = substr(s, 1, length(s) - 3)
  }
  return s out
}
# Three digits that count.
function rounded(n,    unit)
{
  if (n >= 1000) {
    unit = 10 ^ (length(sprintf("%.0f", n)) - 3)
    return thousands(int(n / unit + 0.5) * unit)
  }
  return n >= 100 ? sprintf("%.0f", n) : n >= 10 ? sprintf("%.1f", n) : sprintf("%.2f", n)
}
# The best repetition: what else the machine does only slows.
function rate(run) { return has(run, "items_per_second") ? rounded(best[run, "items_per_second"]) : "" }
function figure(run, metric) { return has(run, metric) ? rounded(best[run, metric]) : "" }
# The first run whose name matches; "": there is none.
function matching(pattern,    i)
{
  for (i = 1; i <= names; i++)
    if (name[i] ~ pattern)
      return name[i]
  return ""
}
function last_matching(pattern,    i)
{
  for (i = names; i >= 1; i--)
    if (name[i] ~ pattern)
      return name[i]
  return ""
}

# ---- goals ----
# A goal: what, its number, whether more is better, the figure by median and by the best repetition.
function goal(what, wanted, unit, more, by_median, by_best,    verdict)
{
  if (by_median == "") {
    printf "| %s | %s%s | not measured | | |\n", what, rounded(wanted), unit
    return
  }
  verdict = more ? (by_median >= wanted ? "reached" : by_best >= wanted ? "reached at best" : "**missed**") \
    : (by_median <= wanted ? "reached" : by_best <= wanted ? "reached at best" : "**missed**")
  printf "| %s | %s%s%s | %s | %s | %s |\n", what, more ? "≥ " : "≤ ", rounded(wanted), unit, \
    rounded(by_median), rounded(by_best), verdict
}
function goal_of(what, wanted, unit, more, run, metric)
{
  if (has(run, metric))
    goal(what, wanted, unit, more, median[run, metric], best[run, metric])
  else
    goal(what, wanted, unit, more, "", "")
}
function goal_microseconds(what, wanted, run)
{
  if (has(run, "real_ns"))
    goal(what, wanted, " µs", 0, median[run, "real_ns"] / 1e3, best[run, "real_ns"] / 1e3)
  else
    goal(what, wanted, " µs", 0, "", "")
}
# One run's metric divided by another's.
function goal_ratio(what, wanted, more, run, other, metric)
{
  if (has(run, metric) && has(other, metric))
    goal(what, wanted, " times", more, median[run, metric] / median[other, metric], \
      best[run, metric] / best[other, metric])
  else
    goal(what, wanted, " times", more, "", "")
}
function goal_newest(workload, sampling, wanted)
{
  goal_ratio(workload ", 5,000 nodes, " (sampling == "all" ? "all scored" : "default sampling") \
    ", auto on 1 thread, to kube-scheduler 1.37", wanted, 1, \
    decide(workload, 5000, 0, sampling, "auto", 1), newest(workload, 5000, sampling), "items_per_second")
}
function of_nodes(run) { return thousands(field(run, "nodes")) " nodes, " thousands(field(run, "running")) " pods" }
function goals()
{
  print "| what | goal | median | best | |\n|---|---|---|---|---|"
  goal_ratio("basic, 5,000 nodes, default sampling, auto on 1 thread, to kube-scheduler 1.32", 1000, 1, \
    decide("basic", 5000, 0, "default", "auto", 1), kube("basic", 5000, "default"), "items_per_second")
  goal_ratio("basic, 5,000 nodes, all scored, auto on 1 thread, to kube-scheduler 1.32", 10000, 1, \
    decide("basic", 5000, 0, "all", "auto", 1), kube("basic", 5000, "all"), "items_per_second")
  goal_ratio("zone spread, 5,000 nodes, auto on 1 thread, to kube-scheduler 1.32", 1000, 1, \
    decide("spread", 5000, 0, "default", "auto", 1), kube("spread", 5000, "default"), "items_per_second")
  goal_ratio("hostname anti-affinity, 5,000 nodes, auto on 1 thread, to kube-scheduler 1.32", 1000, 1, \
    decide("anti", 5000, 0, "default", "auto", 1), kube("anti", 5000, "default"), "items_per_second")
  goal_newest("ordinary", "default", 800)
  goal_newest("ordinary", "all", 2000)
  goal_newest("preferred", "default", 800)
  goal_newest("preferred", "all", 2000)
  goal_ratio("decision cost, all scored, known kind: 1,000,000 nodes to 1,000 (p50)", 2, 0, \
    decide("basic", 1000000, 0, "all", "auto", 1), decide("basic", 1000, 0, "all", "auto", 1), "p50_us")
  goal_of("the same, decisions a second on one core at 1,000,000 nodes", 1000000, "", 1, \
    decide("basic", 1000000, 0, "all", "auto", 1), "items_per_second")
  goal_of("gpu, 5,000 nodes with 40,000 devices, default sampling, auto on 1 thread, pods a second", 100000, "", 1, \
    decide("gpu", 5000, 0, "default", "auto", 1), "items_per_second")
  goal_of("p99 at 100,000 nodes, default sampling, auto", 20, " µs", 0, \
    decide("basic", 100000, 0, "default", "auto", 1), "p99_us")
  goal_of("first sight of a kind, 100,000 nodes, default profile, a node a core", 6, " ns", 0, \
    cold("basic", 100000, 1), "ns_per_node_core")
  goal_of("the same, tainted nodes with images", 6, " ns", 0, cold("plain", 100000, 1), "ns_per_node_core")
  goal_of("the same, pods with a rule for every plugin", 6, " ns", 0, cold("rules", 100000, 1), "ns_per_node_core")
  goal_ratio("first sight, default profile, 2 threads to 1", 1.8, 1, cold("basic", 100000, 2), \
    cold("basic", 100000, 1), "items_per_second")
  goal_ratio("scan of 100,000 nodes, all scored, 2 threads to 1", 1.8, 1, \
    decide("basic", 100000, 0, "all", "scan", 2), decide("basic", 100000, 0, "all", "scan", 1), "items_per_second")
  goal_ratio("scan of 100,000 nodes, all scored, 4 threads to 2", 0.8, 1, \
    decide("basic", 100000, 0, "all", "scan", 4), decide("basic", 100000, 0, "all", "scan", 2), "items_per_second")
  largest = last_matching("^process/basic/")
  goal_of("memory a node, unused room and all, " of_nodes(largest), 400, " bytes", 0, largest, "bytes_a_node")
  goal_of("memory a pod on them", 150, " bytes", 0, largest, "bytes_a_pod")
  goal_microseconds("branch and drop, 100,000 nodes, 1,000,000 pods", 20, "branch/drop/nodes:100000/pods:0")
  goal_microseconds("the same, with a pod decided and bound on it", 20, "branch/drop/nodes:100000/pods:1")
  goal_ratio("a commit while 4 snapshots are pinned, to one while none is", 1.5, 0, \
    "publish_commit/nodes:100000/pinned:4", "publish_commit/nodes:100000/pinned:0", "real_ns")
  goal_load("load a dump as kubectl indents it", matching("^dump/basic/layout:indented"))
  goal_load("the same of one object a line, basic", matching("^dump/basic/layout:flat"))
  goal_load("the same of one object a line, mixed", matching("^dump/mixed/layout:flat"))
  goal_load("the same of one object a line, pods that all differ", matching("^dump/distinct/layout:flat"))
}
# The rate of reading, and the peak of memory.
function goal_load(what, run)
{
  if (has(run, "bytes_per_second"))
    goal(what, 300, " MB/s", 1, median[run, "bytes_per_second"] / 1e6, best[run, "bytes_per_second"] / 1e6)
  else
    goal(what, 300, " MB/s", 1, "", "")
  goal_of("resident at its peak, to the cluster", 3, " times", 0, run, "peak_to_cluster")
}

# ---- tables ----
function row_of(run,    k)
{
  k = field(run, "running") + 0 == 0 ? newest(field_workload(run), field(run, "nodes"), field(run, "sampling")) : ""
  printf "| %s | %s | %s | %s | %s, %s | %s | %s | %s | %s | %s | %s | %s |\n", field_workload(run), \
    thousands(field(run, "nodes")), (field(run, "running") + 0 > 0 ? thousands(field(run, "running")) : ""), \
    field(run, "sampling"), field(run, "path"), field(run, "threads"), rate(run), figure(run, "p50_us"), \
    figure(run, "p99_us"), figure(run, "p999_us"), figure(run, "max_us"), \
    rate(k), times(run, k)
}
function field_workload(run,    parts)
{
  split(run, parts, "/")
  return parts[2]
}
function decisions(    i)
{
  print "| workload | nodes | running | scored | path, threads | pods/s | p50 µs | p99 | p99.9 | max | kube-scheduler, pods/s | times |"
  print "|---|---|---|---|---|---|---|---|---|---|---|---|"
  for (i = 1; i <= names; i++)
    if (name[i] ~ /^decide\// && has(name[i], "items_per_second"))
      row_of(name[i])
}
function first_sights(    i)
{
  print "| pods | nodes | threads | decisions/s | ns a node a core | p50 µs | max µs |\n|---|---|---|---|---|---|---|"
  for (i = 1; i <= names; i++)
    if (name[i] ~ /^cold\// && has(name[i], "ns_per_node_core"))
      printf "| %s | %s | %s | %s | %s | %s | %s |\n", field_workload(name[i]), \
        thousands(field(name[i], "nodes")), field(name[i], "threads"), rate(name[i]), \
        figure(name[i], "ns_per_node_core"), figure(name[i], "p50_us"), figure(name[i], "max_us")
}
# loop/HOW/WORKLOAD/nodes:N/threads:T
function loops(    i, parts)
{
  print "| how | workload | nodes | pods/s | p50 µs | p99 | p99.9 | max |\n|---|---|---|---|---|---|---|---|"
  for (i = 1; i <= names; i++)
    if (name[i] ~ /^loop\// && has(name[i], "items_per_second")) {
      split(name[i], parts, "/")
      printf "| %s | %s | %s | %s | %s | %s | %s | %s |\n", parts[2], parts[3], thousands(field(name[i], "nodes")), \
        rate(name[i]), figure(name[i], "p50_us"), figure(name[i], "p99_us"), figure(name[i], "p999_us"), \
        figure(name[i], "max_us")
    }
}
function memories(    i)
{
  print "| nodes | pods on them | bytes a node | bytes a pod | in all, MB | at its peak, MB |\n|---|---|---|---|---|---|"
  for (i = 1; i <= names; i++)
    if (name[i] ~ /^memory\// && has(name[i], "total_bytes"))
      printf "| %s | %s | %s | %s | %s | %s |\n", thousands(field(name[i], "nodes")), \
        thousands(field(name[i], "running")), figure(name[i], "bytes_per_node"), figure(name[i], "bytes_per_pod"), \
        rounded(median[name[i], "total_bytes"] / 1e6), rounded(median[name[i], "peak_bytes"] / 1e6)
}
function processes(    i, any)
{
  for (i = 1; i <= names; i++)
    if (name[i] ~ /^process\// && has(name[i], "peak_rss_bytes")) {
      if (!any++)
        print "\nThe same measured by `berth bench`, with unused room, and its whole process; basic, auto on 1 thread:\n\n" \
          "| nodes | pods on them | bytes a node | bytes a pod | the cluster, MB | resident at its peak, MB | pods/s |\n|---|---|---|---|---|---|---|"
      printf "| %s | %s | %s | %s | %s | %s | %s |\n", thousands(field(name[i], "nodes")), \
        thousands(field(name[i], "running")), figure(name[i], "bytes_a_node"), figure(name[i], "bytes_a_pod"), \
        rounded(best[name[i], "cluster_bytes"] / 1e6), rounded(best[name[i], "peak_rss_bytes"] / 1e6), \
        figure(name[i], "pods_per_second")
    }
}
function loads(    i)
{
  print "| dump | nodes | pods | MB | MB/s |\n|---|---|---|---|---|"
  for (i = 1; i <= names; i++)
    if (name[i] ~ /^load\// && has(name[i], "bytes_per_second"))
      printf "| %s, %s | %s | %s | %s | %s |\n", field_workload(name[i]), field(name[i], "layout"), \
        thousands(field(name[i], "nodes")), thousands(field(name[i], "running")), \
        rounded(median[name[i], "text_bytes"] / 1e6), rounded(best[name[i], "bytes_per_second"] / 1e6)
}
function dumps(    i, any)
{
  for (i = 1; i <= names; i++)
    if (name[i] ~ /^dump\// && has(name[i], "bytes_per_second")) {
      if (!any++)
        print "\nFrom a file, in a separate process with two threads, as `berth bench --load` reports it; resident is the whole\n" \
          "process, including the program:\n\n" \
          "| dump | nodes | pods | MB | MB/s | the cluster, MB | resident at its peak, MB |\n|---|---|---|---|---|---|---|"
      printf "| %s, %s | %s | %s | %s | %s | %s | %s |\n", field_workload(name[i]), field(name[i], "layout"), \
        thousands(field(name[i], "nodes")), thousands(field(name[i], "running")), \
        rounded(median[name[i], "text_bytes"] / 1e6), rounded(best[name[i], "bytes_per_second"] / 1e6), \
        rounded(median[name[i], "cluster_bytes"] / 1e6), rounded(median[name[i], "peak_rss_bytes"] / 1e6)
    }
}
# One line for each kernel and plugin, a column for each instruction set.
function by_isa(    i, parts, row, rows, order, isa, cell)
{
  for (i = 1; i <= names; i++)
    if (name[i] ~ /^(kernel|filter|score)\//) {
      split(name[i], parts, "/")
      row = parts[1] " | " parts[2]
      if (!(row in cell)) {
        cell[row] = 1
        order[++rows] = row
      }
      isa[row, parts[3]] = figure(name[i], "ns_per_node")
    }
  print "| phase | what | portable | AVX2 | AVX-512 |\n|---|---|---|---|---|"
  for (i = 1; i <= rows; i++)
    printf "| %s | %s | %s | %s |\n", order[i], isa[order[i], "portable"], isa[order[i], "avx2"], isa[order[i], "avx512"]
}
function others(    i, extra)
{
  print "| benchmark | ns | |\n|---|---|---|"
  for (i = 1; i <= names; i++)
    if (name[i] !~ /^(decide|cold|loop|memory|load|dump|process|kube|kernel|filter|score)\// && has(name[i], "real_ns")) {
      extra = has(name[i], "bytes_per_second") ? rounded(best[name[i], "bytes_per_second"] / 1e6) " MB/s" \
        : has(name[i], "ns_per_change") ? figure(name[i], "ns_per_change") " ns a changed node" : ""
      printf "| %s | %s | %s |\n", name[i], figure(name[i], "real_ns"), extra
    }
}
function failures(    i, any)
{
  for (i = 1; i <= names; i++)
    if (has(name[i], "error")) {
      if (!any++)
        print "\n## Not measured\n"
      printf "- `%s`: %s\n", name[i], median[name[i], "error"]
    }
}
function results()
{
  print "\n## Goals\n"
  print "The table has the median of the repetitions, and the best of them. Other work on the machine can only slow a"
  print "repetition down, so all other tables and the plots show the best one.\n"
  goals()
  print "\nThe tests (labels vectors and model) check that every decision equals kube-scheduler's, and that every placement"
  print "is the same at any number of threads and on either path."
  while ((getline line < missed) > 0)
    print line
  print "\n## At a glance\n"
  print "`scan` visits nodes; `auto` uses the index where it can. kube-scheduler is the algorithm of v1.37.2 itself,"
  print "in process, on this machine.\n"
  glance()
  print "\n## Decisions\n"
  print "![Decisions a second by nodes](plots/throughput.svg)\n"
  print "![Latency by nodes](plots/latency.svg)\n"
  print "![Scaling by threads](plots/threads.svg)\n"
  print "Each decision includes its binding. Before the clock starts, `auto` has decided on every kind of pod. The"
  print "figures of kube-scheduler are those of the algorithm of v1.37.2 alone, in process, on this machine (bench/baseline-1.37.json; in the plots"
  print "v1.32.2, bench/baseline.json).\n"
  decisions()
  print "\n## First sight of a kind\n"
  print "All nodes are scored, and each pod is the first of its kind. `basic`: the default profile, equal nodes; `plain`:"
  print "some nodes are tainted or have the image; `rules`: pods and nodes give every default plugin work, except those"
  print "of volumes.\n"
  first_sights()
  print "\n## Through the scheduling loop\n"
  print "Queue, decision and binding by a callback, 1 thread, default sampling. `crowd`: 1,000 pods that fit nowhere"
  print "wait meanwhile; `churn`: each pod is posted first, and another one is removed.\n"
  loops()
  print "\n## Memory\n"
  print "![Memory by nodes](plots/memory.svg)\n"
  print "The memory that the engine uses, names included; in all: with trees for 8 kinds of pods.\n"
  memories()
  processes()
  print "\n## Loading\n"
  print "From small texts in memory:\n"
  loads()
  dumps()
  print "\n## Arithmetic and plugins, ns a node\n"
  by_isa()
  print "\n## Other parts\n"
  others()
  failures()
}

# ---- at a glance ----
function times(run, k)
{
  return has(run, "items_per_second") && has(k, "items_per_second") ? \
    rounded(best[run, "items_per_second"] / best[k, "items_per_second"]) : ""
}
function glance_row(label, scored, run,    k)
{
  k = field(run, "running") + 0 == 0 ? newest(field_workload(run), field(run, "nodes"), field(run, "sampling")) : ""

  if (has(run, "items_per_second"))
    printf "| %s | %s | %s, %s | %s | %s µs | %s | %s |\n", label, scored, field(run, "path"), \
      field(run, "threads"), rate(run), figure(run, "p50_us"), rate(k), times(run, k)
}
function glance_line(what, number, unit)
{
  if (number != "")
    printf "| %s | %s%s |\n", what, number, unit
}
function glance_lines(    run)
{
  print "\n| what | |\n|---|---|"
  glance_line("first sight of a kind, default profile, 100,000 nodes, a node a core", \
    figure(cold("basic", 100000, 1), "ns_per_node_core"), " ns")
  glance_line("the same, pods with a rule for every plugin", figure(cold("rules", 100000, 1), "ns_per_node_core"), " ns")
  glance_line("through the scheduling loop, basic, 5,000 nodes, pods/s", rate("loop/step/basic/nodes:5000/threads:1"), "")
  glance_line("the same, each pod posted and another one leaving", rate("loop/churn/basic/nodes:5000/threads:1"), "")
  run = "branch/drop/nodes:100000/pods:1"
  glance_line("a branch of 100,000 nodes: made, a pod decided and bound on it, dropped", has(run, "real_ns") ? rounded(best[run, "real_ns"] / 1e3) : "", " µs")
  run = "transaction_group/64"
  glance_line("a group of 64 pods, placed and rolled back, a pod", has(run, "ns_per_pod") ? figure(run, "ns_per_pod") : "", " ns")
  run = last_matching("^process/basic/")
  glance_line("memory a node, names included", figure(run, "bytes_a_node"), " bytes")
  glance_line("memory a pod on a node", figure(run, "bytes_a_pod"), " bytes")
  glance_line("resident in all, " of_nodes(run), has(run, "peak_rss_bytes") ? rounded(best[run, "peak_rss_bytes"] / 1e6) : "", " MB")
  run = matching("^dump/basic/layout:indented")
  glance_line("a dump as kubectl indents it, read into an engine", \
    has(run, "bytes_per_second") ? rounded(best[run, "bytes_per_second"] / 1e6) : "", " MB/s")
  run = matching("^dump/basic/layout:flat")
  glance_line("a dump of one object a line", has(run, "bytes_per_second") ? rounded(best[run, "bytes_per_second"] / 1e6) : "", " MB/s")
}
function glance()
{
  print "| workload | nodes scored | path, threads | pods/s | p50 | kube-scheduler, pods/s | times |"
  print "|---|---|---|---|---|---|---|"
  glance_row("ordinary", "500 of 5,000 (default)", decide("ordinary", 5000, 0, "default", "auto", 1))
  glance_row("ordinary", "all 5,000", decide("ordinary", 5000, 0, "all", "auto", 1))
  glance_row("soft rules of all sorts", "default", decide("preferred", 5000, 0, "default", "auto", 1))
  glance_row("soft rules of all sorts", "all", decide("preferred", 5000, 0, "all", "auto", 1))
  glance_row("basic", "500 of 5,000 (default)", decide("basic", 5000, 0, "default", "auto", 1))
  glance_row("basic", "500 of 5,000 (default)", decide("basic", 5000, 0, "default", "scan", 2))
  glance_row("basic", "all 5,000", decide("basic", 5000, 0, "all", "auto", 1))
  glance_row("basic", "all 5,000", decide("basic", 5000, 0, "all", "scan", 2))
  glance_row("basic, 100,000 nodes", "all", decide("basic", 100000, 0, "all", "auto", 1))
  glance_row("basic, 100,000 nodes", "all", decide("basic", 100000, 0, "all", "scan", 1))
  glance_row("basic, 100,000 nodes", "all", decide("basic", 100000, 0, "all", "scan", 2))
  glance_row("basic, 1,000,000 nodes", "all", decide("basic", 1000000, 0, "all", "auto", 1))
  glance_row("zone spread", "default", decide("spread", 5000, 0, "default", "auto", 1))
  glance_row("zone spread", "default", decide("spread", 5000, 0, "default", "scan", 2))
  glance_row("zone spread, 100,000 pods running", "default", decide("spread", 5000, 100000, "default", "auto", 1))
  glance_row("hostname anti-affinity", "default", decide("anti", 5000, 0, "default", "auto", 1))
  glance_row("hostname anti-affinity", "default", decide("anti", 5000, 0, "default", "scan", 2))
  glance_row("hostname anti-affinity, 100,000 pods running", "default", decide("anti", 5000, 100000, "default", "auto", 1))
  glance_row("volumes", "default", decide("volumes", 5000, 0, "default", "auto", 1))
  glance_row("devices by claims, 40,000 of them", "default", decide("gpu", 5000, 0, "default", "auto", 1))
  glance_row("everything, each pod of other numbers", "default", decide("mixed", 5000, 0, "default", "auto", 1))
  glance_lines()
}

# ---- README ----
function readme_figure(text, run)
{
  if (has(run, "p50_us"))
    printf "| %s | %s | %s µs |\n", text, rate(run), figure(run, "p50_us")
}
# The four that README shows; perf/RESULTS.md has the others.
function readme(    k, run, branch)
{
  print "| on one thread | pods a second | median |\n|---|---|---|"
  k = newest("basic", 5000, "default")
  run = decide("basic", 5000, 0, "default", "auto", 1)
  readme_figure("plain pods on 5,000 nodes" (has(k, "items_per_second") ? "; kube-scheduler's own algorithm places " rate(k) " a second" : ""), run)
  readme_figure("pods of Deployments behind Services on 5,000 nodes, all of them scored", decide("ordinary", 5000, 0, "all", "auto", 1))
  readme_figure("plain pods on 1,000,000 nodes, all of them scored", decide("basic", 1000000, 0, "all", "auto", 1))
  branch = "branch/drop/nodes:100000/pods:1"
  if (has(branch, "real_ns"))
    printf "| a branch of 100,000 nodes: created, one pod placed on it, dropped | | %s µs |\n", rounded(best[branch, "real_ns"] / 1e3)
}

# ---- plots ----
function plain(run, metric) { return has(run, metric) ? best[run, metric] : "?" }
function plots(    i, n, sizes, size, listed, t)
{
  for (i = 1; i <= names; i++)
    if (name[i] ~ /^(decide|kube)\/basic\//) {
      n = field(name[i], "nodes")
      if (!(n in listed)) {
        listed[n] = 1
        size[++sizes] = n
      }
    }
  for (i = 1; i <= sizes; i++) {
    n = size[i]
    print n, plain(kube("basic", n, "default"), "items_per_second"), plain(kube("basic", n, "all"), "items_per_second"), \
      plain(decide("basic", n, 0, "default", "scan", 2), "items_per_second"), \
      plain(decide("basic", n, 0, "all", "scan", 2), "items_per_second"), \
      plain(decide("basic", n, 0, "default", "auto", 1), "items_per_second"), \
      plain(decide("basic", n, 0, "all", "auto", 1), "items_per_second") > (folder "/throughput.dat")
    print n, plain(decide("basic", n, 0, "default", "auto", 1), "p50_us"), \
      plain(decide("basic", n, 0, "default", "auto", 1), "p99_us"), \
      plain(decide("basic", n, 0, "default", "auto", 1), "p999_us"), \
      plain(decide("basic", n, 0, "default", "scan", 2), "p50_us"), \
      plain(decide("basic", n, 0, "default", "scan", 2), "p99_us"), \
      plain(kube("basic", n, "default"), "p50_us"), plain(kube("basic", n, "default"), "p99_us") > (folder "/latency.dat")
  }
  for (t = 1; t <= 64; t++)
    if (has(decide("basic", 100000, 0, "all", "scan", t), "items_per_second") || \
        has(decide("basic", 5000, 0, "all", "scan", t), "items_per_second"))
      print t, plain(decide("basic", 5000, 0, "all", "scan", t), "items_per_second"), \
        plain(decide("basic", 100000, 0, "all", "scan", t), "items_per_second") > (folder "/threads.dat")
  for (i = 1; i <= names; i++)
    if (name[i] ~ /^memory\//)
      print field(name[i], "nodes"), plain(name[i], "bytes_per_node"), plain(name[i], "bytes_per_pod"), \
        plain(name[i], "total_bytes") / 1e6 > (folder "/memory.dat")
}

END {
  if (part == "results")
    results()
  else if (part == "readme")
    readme()
  else
    plots()
}
