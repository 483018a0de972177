package faults

import (
	"net/http"
	"time"

	"berth/tests/live/internal/check"
	"berth/tests/live/internal/fake"
)

// All possible answers to the steps of a claim for extended resources, in any order, some of them
// after a step was carried out.
func extended(w *World) error {
	var rules []fake.Rule
	add := func(method, path string, how ...fake.Rule) {
		for _, rule := range how {
			rule.Method, rule.Path, rule.Times = method, path, 1+w.Random.IntN(2)
			rules = append(rules, rule)
		}
	}
	again := map[string]string{"Retry-After": "1"}
	either := []fake.Rule{{Code: 429, Headers: again}, {Code: 500}, {Code: 504, Do: true}, {Code: 504},
		{Reset: true, Do: true}, {Truncate: 10}, {Code: 422}}
	add(http.MethodPost, "/resourceclaims$", either...)
	add(http.MethodPatch, "/resourceclaims/[^/]*$", either...)
	add(http.MethodPatch, "/resourceclaims/[^/]*/status$", either...)
	add(http.MethodPatch, "/pods/extended[^/]*/status$", fake.Rule{Code: 504, Do: true}, fake.Rule{Code: 422})
	add(http.MethodPost, "/pods/extended[^/]*/binding$", fake.Rule{Code: 400}, fake.Rule{Code: 422})
	add(http.MethodDelete, "/resourceclaims/[^/]*$", fake.Rule{Code: 503}, fake.Rule{Code: 504, Do: true})
	w.Random.Shuffle(len(rules), func(i, j int) { rules[i], rules[j] = rules[j], rules[i] })
	if err := w.Plan.LoadDevices(w.Bed.Admin, deviceNodes); err != nil {
		return err
	}
	if err := w.Fake.SetRules(rules); err != nil {
		return err
	}
	return w.Plan.LoadExtendedPods(w.Bed.Admin)
}

// Pods that request devices as extended resources arrive while connections are cut.
func extendedCut(w *World) error {
	if err := w.Plan.LoadDevices(w.Bed.Admin, deviceNodes); err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- w.Plan.LoadExtendedPods(w.Bed.Admin) }()
	for range 4 {
		time.Sleep(w.between(100*time.Millisecond, 500*time.Millisecond))
		w.Proxy.Cut()
	}
	return <-done
}

// claimedOnce checks that at the end each pod has a claim of its own with devices of its node, that
// its status says which container uses them, that no claim is left over, and that no device is
// allocated twice.
func claimedOnce(w *World, _ check.Requests) {
	pods, err := w.Plan.ExtendedPods(w.Bed.Admin)
	if err != nil {
		w.breaks("%v", err)
		return
	}
	claims, err := w.Plan.DeviceClaims(w.Bed.Admin)
	if err != nil {
		w.breaks("%v", err)
		return
	}
	nodes := map[string]string{} // by claim
	for _, pod := range pods {
		if pod.Spec.NodeName == "" || pod.Status.Extended == nil || len(pod.Status.Extended.Mappings) != 1 {
			w.breaks("I2: pod %s has no node or no claim", pod.Meta.Name)
			continue
		}
		nodes[pod.Status.Extended.Claim] = pod.Spec.NodeName
	}
	taken := map[string]string{}
	for _, claim := range claims {
		node, used := nodes[claim.Meta.Name]
		if !used || len(claim.Status.ReservedFor) != 1 {
			w.breaks("I3: claim %s is left over", claim.Meta.Name)
		}
		for _, device := range claim.Given() {
			if other, twice := taken[device.Pool+"/"+device.Device]; twice || device.Pool != node {
				w.breaks("I3: device %s of %s is given to %s and %s on %s", device.Device, device.Pool, other,
					claim.Meta.Name, node)
			}
			taken[device.Pool+"/"+device.Device] = claim.Meta.Name
		}
	}
	if len(claims) != len(pods) || len(taken) != len(pods)*5/4 {
		w.breaks("I2: %d pods have %d claims with %d devices", len(pods), len(claims), len(taken))
	}
	w.say("%d pods have %d claims with %d devices", len(pods), len(claims), len(taken))
}
