package scale

import (
	"fmt"
	"strconv"
	"strings"
)

// The objects exist only as text, with gaps for what differs: a million of them as objects would cost more than
// the scheduler that is measured.

const created = "2026-01-01T00:00:00Z"

func nodeName(i int) string { return fmt.Sprintf("node-%07d", i) }

// appendNode adds node i as JSON: 32 cores in one of three zones, as a kubelet reports it.
func appendNode(to []byte, i int) []byte {
	name := nodeName(i)
	room := `"cpu":"32","ephemeral-storage":"1Ti","memory":"128Gi","pods":"110"`
	return append(to, fmt.Sprintf(`{"kind":"Node","apiVersion":"v1","metadata":{"name":"%[1]s","uid":"00000000-0000-4000-8000-%012[2]d",`+
		`"resourceVersion":"%[3]d","creationTimestamp":"%[4]s","labels":{"kubernetes.io/arch":"amd64",`+
		`"kubernetes.io/hostname":"%[1]s","kubernetes.io/os":"linux","topology.kubernetes.io/region":"region-0",`+
		`"topology.kubernetes.io/zone":"zone-%[5]d"}},"spec":{"podCIDR":"10.0.0.0/24"},"status":{"capacity":{%[6]s},`+
		`"allocatable":{%[6]s},"conditions":[{"type":"Ready","status":"True","lastHeartbeatTime":"%[4]s",`+
		`"lastTransitionTime":"%[4]s","reason":"KubeletReady","message":"kubelet is posting ready status"}],`+
		`"nodeInfo":{"kubeletVersion":"%[7]s","architecture":"amd64","operatingSystem":"linux"}}}`,
		name, i, firstVersion, created, i%3, room, release)...)
}

func podName(i int) string { return "pod-" + strconv.Itoa(i) }

// podNumber is the inverse; -1: it is not the name of a pod.
func podNumber(name string) int {
	number, found := strings.CutPrefix(name, "pod-")
	i, err := strconv.Atoi(number)
	if !found || err != nil {
		return -1
	}
	return i
}

// appendPod adds pod i as JSON: one of 100 Deployments, with a service's labels. `node` is "" while it is pending.
func appendPod(to []byte, i, version int, node string) []byte {
	app := i % apps
	to = append(to, `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"pod-`...)
	to = strconv.AppendInt(to, int64(i), 10)
	to = append(to, `","namespace":"scale","uid":"00000000-0000-4000-9000-`...)
	number := strconv.Itoa(i)
	to = append(append(to, "000000000000"[len(number):]...), number...)
	to = append(to, `","resourceVersion":"`...)
	to = strconv.AppendInt(to, int64(version), 10)
	to = append(to, podParts[app].head...)
	if node != "" {
		to = append(append(append(to, `"nodeName":"`...), node...), `",`...)
	}
	to = append(to, podParts[app].tail...)
	if node != "" {
		return append(to, `"conditions":[{"type":"PodScheduled","status":"True","lastTransitionTime":"`+created+`"}]}}`...)
	}
	return append(to, `"qosClass":"Burstable"}}`...)
}

type parts struct{ head, tail []byte }

var podParts = makeParts()

func makeParts() (made [apps]parts) {
	for i := range made {
		made[i].head = fmt.Appendf(nil, `","creationTimestamp":"%[1]s","generateName":"app-%[2]d-","labels":{"app":"app-%[2]d",`+
			`"pod-template-hash":"6d4cf56db6"},"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"app-%[2]d",`+
			`"uid":"00000000-0000-4000-a000-%012[2]d","controller":true,"blockOwnerDeletion":true}]},"spec":{`, created, i)
		made[i].tail = fmt.Appendf(nil, `"containers":[{"name":"app","image":"registry.example/app-%[1]d:1","resources":{"requests":{"cpu":"%[2]dm",`+
			`"memory":"%[3]dMi"}},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File",`+
			`"imagePullPolicy":"IfNotPresent"}],"restartPolicy":"Always","terminationGracePeriodSeconds":30,`+
			`"dnsPolicy":"ClusterFirst","serviceAccountName":"default","securityContext":{},"schedulerName":"default-scheduler",`+
			`"tolerations":[{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute","tolerationSeconds":300},`+
			`{"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}],`+
			`"priority":0,"enableServiceLinks":true,"preemptionPolicy":"PreemptLowerPriority"},"status":{"phase":"Pending",`,
			i, 100+i%10*20, 128+i%7*64)
	}
	return made
}
