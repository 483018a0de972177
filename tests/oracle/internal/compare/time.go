package compare

import (
	"strings"

	"berth/tests/oracle/internal/vector"
)

// OutOfTime names the first pod for which a search for devices reached kube-scheduler's time limit,
// so that the answer depends on the speed of the machine; it is empty if there is none.
func OutOfTime(answer *vector.Expected) string {
	for _, decision := range answer.Decisions {
		if strings.Contains(decision.Error, "timed out trying to allocate devices") {
			return decision.Pod
		}
	}
	return ""
}
