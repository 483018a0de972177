package check

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"sort"
	"strings"
	"time"

	"berth/tests/live/internal/api"
)

// A request that the API server answered.
type request struct {
	Verb     string    `json:"verb"`
	Received time.Time `json:"requestReceivedTimestamp"`
	User     struct {
		Name  string              `json:"username"`
		Extra map[string][]string `json:"extra"`
	} `json:"user"`
	Object struct {
		Resource    string `json:"resource"`
		Subresource string `json:"subresource"`
		Namespace   string `json:"namespace"`
		Name        string `json:"name"`
	} `json:"objectRef"`
	Status struct {
		Code int `json:"code"`
	} `json:"responseStatus"`
	Body   json.RawMessage `json:"requestObject"`
	Answer json.RawMessage `json:"responseObject"`
	node   string          // the node of a binding
	holder string          // the lease's holder, as last named by the sender
}

// process identifies the sender: a user may be several processes, each with its own credentials.
func (r *request) process() string {
	return r.User.Name + " " + strings.Join(r.User.Extra["authentication.kubernetes.io/credential-id"], " ")
}

func (r *request) kind() string {
	return strings.TrimSuffix(r.Verb+" "+r.Object.Resource+"/"+r.Object.Subresource, "/")
}

func (r *request) key() string { return r.Object.Namespace + "/" + r.Object.Name }

// readAudit returns the subject's writes, lists and watches, in the order of arrival.
func readAudit(path, user string) ([]request, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var all []request
	reader := bufio.NewReaderSize(file, 1<<20)
	for {
		line, err := reader.ReadBytes('\n')
		if err != nil {
			break // ignore a last line that was cut off by a kill
		}
		var r request
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if r.User.Name == user {
			all = append(all, r)
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].Received.Before(all[j].Received) })
	return all, nil
}

// Credentials returns the number of different credentials that the user's requests had.
func Credentials(auditLog, user string) (int, error) {
	requests, err := readAudit(auditLog, user)
	found := map[string]bool{}
	for i := range requests {
		found[requests[i].process()] = true
	}
	return len(found), err
}

// Requests counts the subject's requests by kind and answer, such as "create pods/binding 201";
// "list 200" and "watch 200" count those of all resources together.
type Requests map[string]int

func (w *Cluster) audit(requests []request) Requests {
	counts := Requests{}
	byKey := map[string][]*pod{}
	for _, p := range w.pods {
		byKey[p.Meta.Key()] = append(byKey[p.Meta.Key()], p)
	}
	tries := map[string][]request{} // bindings by uid
	holders := map[string]string{}  // the lease's holders, by process
	for i := range requests {
		r := &requests[i]
		r.holder = newHolder(r, holders)
		counts[fmt.Sprintf("%s %d", r.kind(), r.Status.Code)]++
		if r.Verb == "list" || r.Verb == "watch" {
			counts[fmt.Sprintf("%s %d", r.Verb, r.Status.Code)]++
		}
		switch r.kind() {
		case "create pods/binding":
			w.auditBinding(r, byKey[r.key()], tries)
		case "patch pods/status":
			w.auditPatch(r, byKey[r.key()])
		case "delete pods":
			w.auditDelete(r, byKey[r.key()])
		}
	}
	for uid, all := range tries {
		w.auditTries(w.pods[uid], all)
	}
	w.auditEvents(requests)
	w.auditLease(requests)
	return counts
}

func (w *Cluster) auditBinding(r *request, pods []*pod, tries map[string][]request) {
	var body struct {
		Meta   api.Meta `json:"metadata"`
		Target struct {
			Name string `json:"name"`
		} `json:"target"`
	}
	_ = json.Unmarshal(r.Body, &body)
	r.node = body.Target.Name
	here := false
	for _, p := range pods {
		if body.Meta.UID != "" && p.Meta.UID != body.Meta.UID {
			continue
		}
		tries[p.Meta.UID] = append(tries[p.Meta.UID], *r)
		here = here || p.Spec.NodeName == body.Target.Name
		if p.Spec.SchedulerName != w.Scheduler {
			w.breaks("I5", "binding of %s, whose scheduler is %s", r.key(), p.Spec.SchedulerName)
		}
	}
	if r.Status.Code == 201 && !here {
		w.breaks("I4", "binding of %s to %s was answered 201 and it is not there", r.key(), body.Target.Name)
	}
}

// A process that was restarted has the same credentials, but another name as the lease's holder.
func newHolder(r *request, holders map[string]string) string {
	var body struct {
		Spec struct {
			HolderIdentity string `json:"holderIdentity"`
		} `json:"spec"`
	}
	if r.Object.Resource == "leases" && json.Unmarshal(r.Body, &body) == nil && body.Spec.HolderIdentity != "" {
		holders[r.process()] = body.Spec.HolderIdentity
	}
	return holders[r.process()]
}

// A pod is bound once. After an attempt with an unknown outcome, the same node must be tried again
// (I8).
func (w *Cluster) auditTries(p *pod, all []request) {
	done := 0
	last := map[string]request{} // by process
	for _, r := range all {
		if r.Status.Code == 201 {
			done++
		}
		before, tried := last[r.process()]
		if r.node == "" {
			continue // the connection was cut off before the request was read
		}
		if tried && before.node != r.node && before.Status.Code/100 != 4 && before.holder == r.holder {
			w.breaks("I8", "%s was tried on %s (answer %d) and then on %s", p.Meta.Key(), before.node,
				before.Status.Code, r.node)
		}
		last[r.process()] = r
	}
	if done > 1 {
		w.breaks("I8", "%s was bound %d times", p.Meta.Key(), done)
	}
}

func (w *Cluster) auditPatch(r *request, pods []*pod) {
	var answer, asked api.Pod
	_ = json.Unmarshal(r.Answer, &answer)
	_ = json.Unmarshal(r.Body, &asked)
	for _, p := range pods {
		if r.Status.Code >= 500 && asked.Meta.UID == p.Meta.UID {
			p.patch = string(r.Body) // perhaps applied: a cut connection is logged as a 504
		}
		if p.Meta.UID != answer.Meta.UID || r.Status.Code != 200 {
			continue
		}
		disruption := strings.Contains(string(r.Body), "DisruptionTarget")
		if p.Spec.SchedulerName != w.Scheduler && !disruption {
			w.breaks("I5", "status of %s, whose scheduler is %s", r.key(), p.Spec.SchedulerName)
		}
		again := w.Lossy && string(r.Body) == p.patch // the first answer may have been lost
		if seen, known := p.seen[answer.Meta.ResourceVersion]; known && seen.Before(r.Received) && !again {
			w.breaks("I8", "status of %s patched without effect: %s", r.key(), r.Body)
		}
		p.patch = string(r.Body)
	}
}

// Only pods whose deletion makes room for a nominated pod are deleted (I6).
func (w *Cluster) auditDelete(r *request, pods []*pod) {
	if r.Status.Code != 200 {
		return
	}
	var answer struct { // a pod, or a Status about one
		Meta    api.Meta `json:"metadata"`
		Details struct {
			UID string `json:"uid"`
		} `json:"details"`
	}
	_ = json.Unmarshal(r.Answer, &answer)
	uid := answer.Meta.UID + answer.Details.UID
	for _, p := range pods {
		if uid != "" && uid != p.Meta.UID {
			continue // another pod of this name
		}
		if len(w.nominees[p.Spec.NodeName]) > 0 {
			return
		}
	}
	w.breaks("I6", "%s was deleted and no pod was ever nominated to its node", r.key())
}

func (w *Cluster) auditEvents(requests []request) {
	scheduled := map[string]int{}
	for i := range requests {
		r := &requests[i]
		if r.kind() != "create events" || r.Status.Code != 201 {
			continue
		}
		var event api.Event
		_ = json.Unmarshal(r.Body, &event)
		p := w.pods[event.Regarding.UID]
		if p == nil {
			continue
		}
		if event.Reason == "Scheduled" {
			scheduled[event.Regarding.UID]++
		}
		if p.Spec.SchedulerName != w.Scheduler && event.Reason != "Preempted" {
			w.breaks("I5", "event %s on %s, whose scheduler is %s", event.Reason, p.Meta.Key(),
				p.Spec.SchedulerName)
		}
	}
	for uid, count := range scheduled {
		if count > 1 {
			w.breaks("I8", "%s has %d events Scheduled", w.pods[uid].Meta.Key(), count)
		}
	}
}

const renewDeadline = 10 * time.Second

// With a lease, no binding is sent later than ten seconds after the last renewal (I4). A second may
// pass between sending a request and its receipt.
func (w *Cluster) auditLease(requests []request) {
	renewed := map[string]time.Time{}
	for i := range requests {
		r := &requests[i]
		good := r.Status.Code/100 == 2
		switch {
		case r.Object.Resource == "leases" && good && r.Verb != "get":
			renewed[r.process()] = r.Received
		case r.kind() == "create pods/binding":
			last, leader := renewed[r.process()]
			if leader && r.Received.After(last.Add(renewDeadline+time.Second)) {
				w.breaks("I4", "binding of %s came %.1f s after the lease's renewal", r.key(),
					r.Received.Sub(last).Seconds())
			}
		}
	}
}
