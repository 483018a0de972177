package measure

import (
	"fmt"
	"io"
	"sort"
	"text/tabwriter"
	"time"
)

// Table prints, for each contestant, the run whose rate is the median, and the lowest and the
// highest rate.
func Table(out io.Writer, rows []Row) {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "scheduler\tbound\tpods/s\tleast\tmost\tin a second\tevents\tpods/s with them\tCPU ms/pod\tAPI server\tetcd\t"+
		"resident MiB\tp50 ms\tp99 ms\t")
	var names []string
	of := map[string][]Row{}
	for _, row := range rows {
		if of[row.Contestant] == nil {
			names = append(names, row.Contestant)
		}
		of[row.Contestant] = append(of[row.Contestant], row)
	}
	for _, name := range names {
		all := of[name]
		sort.Slice(all, func(i, j int) bool { return all[i].Rate < all[j].Rate })
		r := all[len(all)/2]
		fmt.Fprintf(t, "%s\t%d\t%.0f\t%.0f\t%.0f\t%.0f\t%d\t%.0f\t%s\t%s\t%s\t%d\t%s\t%s\t\n", name, r.Bound, r.Rate,
			all[0].Rate, all[len(all)-1].Rate, r.Peak, r.Events, r.Whole, each(r.Scheduler.CPU, r), each(r.APIServer, r),
			each(r.Etcd, r), r.Scheduler.Resident>>20, milli(r.P50), milli(r.P99))
	}
	t.Flush()
}

func each(spent time.Duration, r Row) string {
	if r.Bound == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", spent.Seconds()*1000/float64(r.Bound))
}

func milli(d time.Duration) string {
	if d < 0 {
		return "-"
	}
	return fmt.Sprintf("%.0f", d.Seconds()*1000)
}
