// Package scale measures `berth run` on a cluster that no real API server holds: a scripted one, without etcd and
// without TLS, has a million nodes and brings pods as fast as they are bound.
package scale

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"berth/tests/live/internal/fake"
)

const (
	release      = "v1.37.2"
	firstVersion = 1000
	apps         = 100
	namespace    = "scale"
)

// server answers about nodes, pods, bindings and events itself, and leaves the rest to the scripted server of the
// faults, which keeps whole objects.
type server struct {
	rest  *fake.Server
	nodes int
	ahead int // pods that wait

	mutex   sync.Mutex
	changed *sync.Cond
	lines   []byte // of the watch of pods, which were not sent yet
	version int
	pods    int // pods so far
	ended   bool
	watched atomic.Int32 // watches of pods

	bound, events atomic.Int64
	again         atomic.Int64 // bindings of pods that were bound before
	first         time.Time    // the first binding
	isBound       []bool
}

func newServer(nodes, ahead int) *server {
	s := &server{rest: fake.New(release[1:]), nodes: nodes, ahead: ahead, version: firstVersion}
	s.changed = sync.NewCond(&s.mutex)
	return s
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := r.URL.Path
	name, isPod := strings.CutPrefix(path, "/api/v1/namespaces/"+namespace+"/pods/")
	switch {
	case path == "/api/v1/nodes":
		s.serveNodes(w, r)
	case path == "/api/v1/pods":
		s.servePods(w, r)
	case isPod:
		number := podNumber(strings.TrimSuffix(name, "/status"))
		answer(w, http.StatusOK, appendPod(nil, number, s.now(), ""))
	default:
		s.rest.ServeHTTP(w, r)
	}
}

func answer(w http.ResponseWriter, code int, body []byte) {
	w.Header()["Content-Type"] = []string{"application/json"}
	w.Header()["Content-Length"] = []string{strconv.Itoa(len(body))}
	w.WriteHeader(code)
	_, _ = w.Write(body)
}

func (s *server) now() int {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.version
}

// serveNodes lists the nodes, in pages, and never changes them.
func (s *server) serveNodes(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	w.Header().Set("Content-Type", "application/json")
	if query.Get("watch") != "" {
		w.(http.Flusher).Flush()
		markNodes(w)
		return
	}
	from, _ := strconv.Atoi(query.Get("continue"))
	limit, _ := strconv.Atoi(query.Get("limit"))
	to := s.nodes
	next := ""
	if limit > 0 && from+limit < s.nodes {
		to = from + limit
		next = strconv.Itoa(to)
	}
	body := fmt.Appendf(nil, `{"kind":"NodeList","apiVersion":"v1","metadata":{"resourceVersion":"%d","continue":"%s"},"items":[`,
		firstVersion, next)
	for i := from; i < to; i++ {
		if i > from {
			body = append(body, ',')
		}
		body = appendNode(body, i)
	}
	answer(w, http.StatusOK, append(body, `]}`...))
}

// markNodes sends a bookmark now and then, until the client goes.
func markNodes(w http.ResponseWriter) {
	for {
		time.Sleep(5 * time.Second)
		if _, err := w.Write(bookmark("Node", firstVersion)); err != nil {
			return
		}
	}
}

func bookmark(kind string, version int) []byte {
	return fmt.Appendf(nil, `{"type":"BOOKMARK","object":{"kind":"%s","apiVersion":"v1","metadata":{"resourceVersion":"%d"}}}`+"\n",
		kind, version)
}

// servePods lists no pods; they come by the watch.
func (s *server) servePods(w http.ResponseWriter, r *http.Request) {
	if r.URL.Query().Get("watch") == "" {
		answer(w, http.StatusOK, fmt.Appendf(nil,
			`{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"%d"},"items":[]}`, firstVersion))
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.(http.Flusher).Flush()
	s.watched.Add(1)
	defer s.watched.Add(-1)
	for sent := []byte(nil); ; {
		s.mutex.Lock()
		for len(s.lines) == 0 {
			s.changed.Wait()
		}
		sent, s.lines = s.lines, sent[:0]
		s.mutex.Unlock()
		if _, err := w.Write(sent); err != nil {
			return
		}
	}
}

// arrive brings pods until so many wait. The mutex is held.
func (s *server) arrive() {
	for !s.ended && s.pods-int(s.bound.Load()) < s.ahead {
		s.version++
		s.lines = append(s.lines, `{"type":"ADDED","object":`...)
		s.lines = append(appendPod(s.lines, s.pods, s.version, ""), "}\n"...)
		s.pods++
		s.isBound = append(s.isBound, false)
	}
	s.changed.Broadcast()
}

// The answers to bindings.
var (
	done    = []byte(`{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","code":201}`)
	broken  = []byte(`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"BadRequest","code":400}`)
	missing = []byte(`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404}`)
)

// bind binds a pod to the node that the body names, and returns the answer.
func (s *server) bind(pod int, body []byte) (int, []byte) {
	node, found := targetOf(body)
	if !found || pod < 0 {
		return http.StatusBadRequest, broken
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	switch {
	case pod >= s.pods:
		return http.StatusNotFound, missing
	case s.isBound[pod]:
		s.again.Add(1)
	default:
		s.isBound[pod] = true
		if s.bound.Add(1) == 1 {
			s.first = time.Now()
		}
		s.version++
		s.lines = append(s.lines, `{"type":"MODIFIED","object":`...)
		s.lines = append(appendPod(s.lines, pod, s.version, node), "}\n"...)
		s.arrive()
	}
	return http.StatusCreated, done
}

// targetOf finds target.name in a Binding.
func targetOf(body []byte) (string, bool) {
	_, target, found := strings.Cut(string(body), `"target":{`)
	_, name, named := strings.Cut(target, `"name":"`)
	name, _, ends := strings.Cut(name, `"`)
	return name, found && named && ends
}
