package check

import (
	"fmt"
	"io"
	"sort"
	"strings"
)

const linesMax = 20

// Report checks the final state and, if there is one, the audit log; it prints its observations and
// the broken invariants, and returns the latter with the subject's requests. Call it once, when
// nothing changes any more.
func (w *Cluster) Report(out io.Writer, auditLog string) (Requests, []string, error) {
	bound, all := w.Bound()
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.final()
	fmt.Fprintf(out, "%s: %d of %d pods bound, room taken first by others: %d\n", w.Scheduler, bound, all,
		w.over)
	var counts Requests
	if auditLog != "" {
		requests, err := readAudit(auditLog, w.User)
		if err != nil {
			return nil, nil, err
		}
		counts = w.audit(requests)
		var kinds []string
		for kind := range counts {
			read := strings.HasPrefix(kind, "list") || strings.HasPrefix(kind, "watch")
			if !read || strings.Count(kind, " ") == 1 {
				kinds = append(kinds, kind)
			}
		}
		sort.Strings(kinds)
		for _, kind := range kinds {
			fmt.Fprintf(out, "  %-32s %6d\n", kind, counts[kind])
		}
	}
	for i, line := range w.broken {
		if i == linesMax {
			fmt.Fprintf(out, "... and %d more\n", len(w.broken)-linesMax)
			break
		}
		fmt.Fprintf(out, "BROKEN %s\n", line)
	}
	return counts, w.broken, nil
}
