// Package compare reports how two answers to the same scenario differ.
package compare

import (
	"fmt"
	"reflect"
	"sort"

	"berth/tests/oracle/internal/vector"
)

// Answers lists the differences of two answers, one text each; empty: they agree. Refusals, their
// reasons and victims are compared as sets.
func Answers(wanted, found *vector.Expected) []string {
	var all []string
	note := func(where string, wanted, found any) {
		if !reflect.DeepEqual(wanted, found) {
			all = append(all, fmt.Sprintf("%s: wanted %v, found %v", where, wanted, found))
		}
	}
	note("mode", wanted.Mode, found.Mode)
	note("order", wanted.Order, found.Order)
	note("number of decisions", len(wanted.Decisions), len(found.Decisions))
	for i := 0; i < len(wanted.Decisions) && i < len(found.Decisions); i++ {
		all = append(all, decisions(i, &wanted.Decisions[i], &found.Decisions[i])...)
	}
	return all
}

func decisions(index int, wanted, found *vector.Decision) []string {
	var all []string
	note := func(key string, wanted, found any) {
		if !reflect.DeepEqual(wanted, found) {
			all = append(all, fmt.Sprintf("decision %d %s: wanted %v, found %v", index, key, wanted, found))
		}
	}
	note("pod", wanted.Pod, found.Pod)
	note("start", wanted.Start, found.Start)
	note("next", wanted.Next, found.Next)
	note("preFilter", wanted.PreFilter, found.PreFilter)
	note("feasible", texts(wanted.Feasible), texts(found.Feasible))
	failed, failedFound := refusals(wanted.Failed), refusals(found.Failed)
	for _, node := range keys(failed, failedFound) {
		note("failed "+node, failed[node], failedFound[node])
	}
	for _, plugin := range keys(wanted.Scores, found.Scores) {
		note("scores "+plugin, wanted.Scores[plugin], found.Scores[plugin])
	}
	note("total", numbers(wanted.Total), numbers(found.Total))
	note("best", texts(wanted.Best), texts(found.Best))
	note("bound", wanted.Bound, found.Bound)
	note("devices", texts(wanted.Devices), texts(found.Devices))
	note("message", wanted.Message, found.Message)
	note("nominated", wanted.Nominated, found.Nominated)
	note("victims", sorted(wanted.Victims), sorted(found.Victims))
	note("error", wanted.Error, found.Error)
	return all
}

// texts makes an absent list equal to an empty one.
func texts(list []string) []string { return append([]string{}, list...) }

func numbers(list []int64) []int64 { return append([]int64{}, list...) }

func sorted(list []string) []string {
	out := texts(list)
	sort.Strings(out)
	return out
}

func refusals(list []vector.Refusal) map[string]string {
	out := map[string]string{}
	for _, r := range list {
		out[r.Node] = fmt.Sprintf("%s %s %q", r.Plugin, r.Code, sorted(r.Reasons))
	}
	return out
}

func keys[T any](a, b map[string]T) []string {
	var out []string
	for key := range a {
		out = append(out, key)
	}
	for key := range b {
		if _, both := a[key]; !both {
			out = append(out, key)
		}
	}
	sort.Strings(out)
	return out
}
