# One plot of perf/RESULTS.md. Variables set by bench/run: plot (its name), data (folder of *.dat),
# out (folder).
set terminal svg size 800,560 font "sans,12" background "white"
set output out."/".plot.".svg"
file = data."/".plot.".dat"
set datafile missing "?"
set grid
set key outside below
set style data linespoints
set linetype 1 lc rgb "#6a3d9a"
set linetype 2 lc rgb "#1b7837"
set linetype 3 lc rgb "#1f78b4"
set linetype 4 lc rgb "#e08214"
set linetype 5 lc rgb "#8c510a"
set linetype 6 lc rgb "#666666"
set linetype 7 lc rgb "#d6604d"
set xlabel "nodes" offset 0,0.4
set ylabel "decisions a second"

if (plot eq "throughput") {
  set logscale xy
  set format xy "%.0s%c"
  set title "Basic pods: decisions a second"
  plot file using 1:6 title "Berth, auto, 1 thread, default sampling" lw 2, \
       "" using 1:7 title "Berth, auto, 1 thread, all nodes scored" lw 2, \
       "" using 1:4 title "Berth, scan, 2 threads, default sampling" lw 2, \
       "" using 1:5 title "Berth, scan, 2 threads, all nodes scored" lw 2, \
       "" using 1:2 title "kube-scheduler v1.32.2, default sampling" dt 2, \
       "" using 1:3 title "kube-scheduler v1.32.2, all nodes scored" dt 2
}
if (plot eq "latency") {
  set logscale xy
  set format x "%.0s%c"
  set ylabel "microseconds"
  set title "Basic pods, default sampling: latency of a decision"
  plot file using 1:2 title "Berth, auto, 1 thread: p50" lw 2, \
       "" using 1:3 title "p99" lw 2, \
       "" using 1:4 title "p99.9" lw 2, \
       "" using 1:5 title "Berth, scan, 2 threads: p50" lw 2, \
       "" using 1:6 title "p99" lw 2, \
       "" using 1:7 title "kube-scheduler v1.32.2: p50" dt 2, \
       "" using 1:8 title "p99" dt 2
}
if (plot eq "threads") {
  set logscale y
  set format y "%.0s%c"
  set xtics 1
  set xlabel "threads" offset 0,0.4
  set title "Scan, all nodes scored"
  plot file using 1:2 title "5,000 nodes" lw 2, \
       "" using 1:3 title "100,000 nodes" lw 2
}
if (plot eq "memory") {
  set logscale x
  set format x "%.0s%c"
  set yrange [0:*]
  set ylabel "bytes"
  set title "Memory of a cluster, names included"
  plot file using 1:2 title "a node" lw 2, \
       "" using 1:3 title "a pod on it" lw 2
}
