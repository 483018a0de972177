package generate

import (
	"fmt"
	"math"
	"time"
)

var apps = []string{"web", "db", "api", "cache"}

func (g *generator) pod(name string) object {
	namespace := pick(g.source, namespaces...)
	labels := object{"app": pick(g.source, apps...)}
	if g.chance(60) {
		labels["env"] = pick(g.source, "prod", "dev")
	}
	metadata := object{"name": name, "namespace": namespace, "uid": name + "-uid", "labels": labels}
	spec := object{}
	g.containers(spec)
	if g.chance(g.overhead) {
		spec["overhead"] = object{"cpu": pick(g.source, "100m", "250m"), "memory": "120Mi"}
		if g.chance(15) {
			spec["overhead"].(object)[pick(g.source, "ephemeral-storage", "example.com/fpga")] = "1"
		}
	}
	if g.chance(g.podLevel) {
		g.podResources(spec)
	}
	if g.chance(g.tolerations) {
		spec["tolerations"] = g.podTolerations()
	}
	if g.chance(g.nodeSelector) {
		spec["nodeSelector"] = g.nodeLabelPairs()
	}
	affinity := object{}
	if g.chance(g.nodeAffinity) {
		affinity["nodeAffinity"] = g.nodeAffinityOf()
	}
	if g.chance(g.podAffinity) {
		g.podAffinityOf(affinity)
	}
	if len(affinity) > 0 {
		spec["affinity"] = affinity
	}
	if g.chance(g.spread) {
		spec["topologySpreadConstraints"] = g.spreadConstraints()
	}
	if g.priorities > 0 {
		spec["priority"] = 0
		if g.chance(g.priorities) {
			spec["priority"] = pick(g.source, -10, 0, 0, 5, 10, 10, 100, 1000)
			if g.chance(5) {
				spec["priority"] = pick(g.source, math.MinInt32, math.MinInt32+1, math.MaxInt32)
			}
		}
		if g.chance(g.never) {
			spec["preemptionPolicy"] = "Never"
		} else {
			spec["preemptionPolicy"] = "PreemptLowerPriority"
		}
	}
	if g.chance(g.owners) {
		kind := pick(g.source, "ReplicaSet", "ReplicaSet", "ReplicationController", "StatefulSet", "Job")
		g.own(metadata, kind, pick(g.source, labels["app"].(string), labels["app"].(string), apps[0]))
	}
	if g.volumes > 0 || g.inlineVolumes > 0 || g.imageVolumes > 0 {
		g.podVolumes(spec, name, namespace)
	}
	if g.chance(g.features) {
		g.requireFeature(spec)
	}
	return object{"metadata": metadata, "spec": spec}
}

func (g *generator) own(metadata object, kind, app string) {
	version, suffix := "apps/v1", "-rs"
	switch kind {
	case "ReplicationController":
		version, suffix = "v1", "-rc"
	case "StatefulSet":
		suffix = "-ss"
	case "Job":
		version, suffix = "batch/v1", "-job"
	}
	metadata["ownerReferences"] = []object{{
		"apiVersion": version, "kind": kind, "name": app + suffix, "uid": app + suffix + "-uid", "controller": true,
	}}
}

func (g *generator) runningPod(name string) object {
	pod := g.pod(name)
	pod["spec"].(object)["nodeName"] = pick(g.source, g.nodeNames...)
	switch g.below(100) {
	case 0: // its node has just been removed
		pod["spec"].(object)["nodeName"] = "gone"
	case 1: // the pod is pending, too
		delete(pod["spec"].(object), "nodeName")
		pod["status"] = object{"phase": "Pending"}
		return pod
	}
	status := object{"phase": "Running"}
	g.start(status)
	if g.chance(g.terminating) {
		pod["metadata"].(object)["deletionTimestamp"] = "2026-02-01T00:00:00Z"
	}
	if g.chance(g.resized) {
		g.resize(pod["spec"].(object), status)
	}
	pod["status"] = status
	return pod
}

// nominatedPod makes a pod that has preempted and waits for its node.
func (g *generator) nominatedPod(name string) object {
	pod := g.pod(name)
	pod["status"] = object{"phase": "Pending", "nominatedNodeName": pick(g.source, g.nodeNames...)}
	return pod
}

// pendingPod makes a pending pod. In families that preempt it has a start time, because once placed
// it may be a victim of later pods. Only the last one may already be nominated: the vectors do not
// say whether the nomination of another one still holds for later pods.
func (g *generator) pendingPod(name string, last bool) object {
	pod := g.pod(name)
	status := object{"phase": "Pending"}
	if g.priorities > 0 {
		g.start(status)
	}
	if last && g.chance(g.nominated) {
		status["nominatedNodeName"] = pick(g.source, append(g.nodeNames, "gone")...)
	}
	pod["status"] = status
	return pod
}

// start gives a pod its start time; in families about start times, a pod may have none, or that of
// many others.
func (g *generator) start(status object) {
	if g.starts == 0 || !g.chance(g.starts) {
		status["startTime"] = g.startTime()
	} else if g.chance(50) {
		status["startTime"] = pick(g.source, "2026-01-03T00:00:00Z", "2026-01-03T00:00:01Z", "2026-01-09T00:00:00Z")
	}
}

// startTime returns a different time for each pod of the scenario, in no order.
func (g *generator) startTime() string {
	g.seconds++
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	return start.Add(time.Duration(g.below(40)*10000+g.seconds) * time.Second).Format(time.RFC3339)
}

func (g *generator) requireFeature(spec object) {
	if g.chance(50) {
		spec["hostNetwork"], spec["hostUsers"] = true, false
		return
	}
	container := spec["containers"].([]object)[0]
	container["restartPolicy"] = "Never"
	container["restartPolicyRules"] = []object{{
		"action": pick(g.source, "RestartAllContainers", "Restart"), "exitCodes": object{"operator": "In", "values": []int{42}},
	}}
}

func (g *generator) podTolerations() []object {
	var out []object
	for range g.between(1, 3) {
		toleration := object{}
		if g.chance(90) {
			toleration["key"] = pick(g.source, taintKeys...)
		}
		if _, keyed := toleration["key"]; keyed && g.comparisons > 0 && g.chance(g.comparisons) {
			toleration["operator"] = pick(g.source, "Lt", "Gt")
			toleration["value"] = pick(g.source, numbers...)
		} else if !keyed || g.chance(45) {
			toleration["operator"] = "Exists"
		} else {
			if g.chance(70) {
				toleration["operator"] = "Equal"
			}
			if value := pick(g.source, taintValues...); value != "" {
				toleration["value"] = value
			}
		}
		if g.chance(60) {
			toleration["effect"] = pick(g.source, "NoSchedule", "PreferNoSchedule", "NoExecute")
		}
		out = append(out, toleration)
	}
	return out
}

// hostPorts makes the ports of a container, all different because duplicates would not be valid.
func (g *generator) hostPorts() []object {
	var out []object
	seen := map[string]bool{}
	for range g.between(1, 2) {
		number := pick(g.source, 80, 443, 8080, 9090)
		port := object{"containerPort": number, "protocol": pick(g.source, "TCP", "TCP", "UDP", "SCTP")}
		if g.chance(85) {
			port["hostPort"] = number
		}
		if g.chance(30) {
			port["hostIP"] = pick(g.source, "0.0.0.0", "10.0.0.1", "10.0.0.2", "::", "127.0.0.1")
		}
		if key := fmt.Sprint(number, port["protocol"], port["hostIP"]); !seen[key] {
			seen[key] = true
			out = append(out, port)
		}
	}
	return out
}
