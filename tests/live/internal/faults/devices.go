package faults

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"berth/tests/live/internal/check"
	"berth/tests/live/internal/load"
)

const deviceNodes = 10

// Pods with ResourceClaims arrive while connections are cut; a driver attaches devices as they are
// allocated.
func devices(w *World) error {
	go load.DeviceDriver(w.context, w.Bed.Admin)
	if err := w.Plan.LoadDevices(w.Bed.Admin, deviceNodes); err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- w.Plan.LoadDevicePods(w.Bed.Admin) }()
	for range 4 {
		time.Sleep(w.between(200*time.Millisecond, 1000*time.Millisecond))
		w.Proxy.Cut()
	}
	return <-done
}

// givenOnce checks that at the end each claim has devices of its pods' node, reserved for these
// pods only, and that no device is allocated twice.
func givenOnce(w *World, _ check.Requests) {
	claims, err := w.Plan.DeviceClaims(w.Bed.Admin)
	if err != nil {
		w.breaks("%v", err)
		return
	}
	placed := w.cluster.Placements()
	users := map[string][]string{} // pods by claim
	for key := range placed {
		if name, found := strings.CutPrefix(key, w.Plan.Namespace+"/device-"); found {
			claim := load.ClaimOf(name)
			users[claim] = append(users[claim], "device-"+name)
		}
	}
	taken := map[string]string{}
	for _, claim := range claims {
		w.claimServes(claim, users[claim.Meta.Name], placed)
		for _, device := range claim.Given() {
			if other, twice := taken[device.Pool+"/"+device.Device]; twice {
				w.breaks("I8: device %s of %s is given to %s and %s", device.Device, device.Pool, other,
					claim.Meta.Name)
			}
			taken[device.Pool+"/"+device.Device] = claim.Meta.Name
		}
	}
	w.say("%d claims have %d devices", len(claims), len(taken))
}

func (w *World) claimServes(claim load.DeviceClaim, pods []string, placed map[string]string) {
	if len(claim.Given()) == 0 {
		w.breaks("I2: claim %s has no devices", claim.Meta.Name)
	}
	var kept []string
	for _, pod := range claim.Status.ReservedFor {
		kept = append(kept, pod.Name)
	}
	slices.Sort(kept)
	slices.Sort(pods)
	if !slices.Equal(kept, pods) {
		w.breaks("I3: claim %s is kept for %v, not for %v", claim.Meta.Name, kept, pods)
	}
	for _, device := range claim.Given() {
		for _, pod := range pods {
			if node := placed[fmt.Sprintf("%s/%s", w.Plan.Namespace, pod)]; node != device.Pool {
				w.breaks("I3: pod %s is on %q, its device %s on %s", pod, node, device.Device, device.Pool)
			}
		}
	}
}
