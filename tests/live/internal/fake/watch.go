package fake

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const bookmarkEvery = 5 * time.Second

// watch sends the changes after a version. It ends after timeoutSeconds, when the client goes, or,
// if the versions that it needs are gone, with an ERROR event 410.
func (s *Server) watch(w http.ResponseWriter, r *http.Request, t target) {
	query := r.URL.Query()
	from, err := strconv.Atoi(query.Get("resourceVersion"))
	var initial []object
	if query.Get("sendInitialEvents") == "true" {
		if query.Get("resourceVersionMatch") != "NotOlderThan" || query.Get("allowWatchBookmarks") != "true" {
			reply(w, http.StatusUnprocessableEntity, refuse(http.StatusUnprocessableEntity, "Invalid",
				"sendInitialEvents: Forbidden").status())
			return
		}
		initial, from = s.list(t.collection, t.namespace)
	} else if err != nil {
		reply(w, http.StatusBadRequest, refuse(http.StatusBadRequest, "BadRequest", "resourceVersion").status())
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusOK)
	flusher, _ := w.(http.Flusher)
	flush := func() {
		if flusher != nil {
			flusher.Flush()
		}
	}
	for _, o := range initial {
		if selected(t, query.Get("fieldSelector"), o) {
			_, _ = w.Write(event("ADDED", o))
		}
	}
	if query.Get("sendInitialEvents") == "true" {
		_, _ = w.Write(bookmark(t, from, object{"k8s.io/initial-events-end": "true"}))
	}
	flush()
	end := time.Now().Add(time.Hour)
	if seconds, _ := strconv.Atoi(query.Get("timeoutSeconds")); seconds > 0 {
		end = time.Now().Add(time.Duration(seconds) * time.Second)
	}
	lines := s.lines(r, t, from)
	regularly := time.NewTicker(bookmarkEvery)
	defer regularly.Stop()
	last := from
	for {
		select {
		case <-r.Context().Done():
			return
		case <-time.After(time.Until(end)):
			return
		case <-regularly.C:
			if query.Get("allowWatchBookmarks") == "true" && !s.silentTo(r) && s.reached(last) {
				_, _ = w.Write(bookmark(t, last, object{}))
			}
		case line, open := <-lines:
			if !open {
				return
			}
			if s.silentTo(r) {
				continue // the lines are lost, as with a server that hangs
			}
			_, _ = w.Write(line.text)
			last = max(last, line.version)
			if line.cut {
				flush()
				panic(http.ErrAbortHandler)
			}
		}
		flush()
	}
}

func bookmark(t target, version int, annotations object) []byte {
	return event("BOOKMARK", object{"kind": kinds[t.collection], "apiVersion": versionOf(t.collection),
		"metadata": object{"resourceVersion": strconv.Itoa(version), "annotations": annotations}})
}

type line struct {
	text    []byte
	version int
	cut     bool // the connection ends after this line
}

// lines makes the lines of one watch, until the client goes.
func (s *Server) lines(r *http.Request, t target, from int) <-chan line {
	lines := make(chan line, 64)
	ctx := r.Context()
	go func() { // a condition variable cannot wait for a context: wake it when the context ends
		<-ctx.Done()
		s.store.mutex.Lock()
		s.changed.Broadcast()
		s.store.mutex.Unlock()
	}()
	selector := r.URL.Query().Get("fieldSelector")
	go func() {
		defer close(lines)
		era, extras := s.now()
		for ctx.Err() == nil {
			news, state := s.after(from, era, func() bool { return ctx.Err() != nil || s.extrasAfter(extras) })
			switch state {
			case ended:
				return
			case expired:
				gone := refuse(http.StatusGone, "Expired", "too old resource version: %d", from)
				lines <- line{text: event("ERROR", gone.status())}
				return
			}
			for _, change := range news {
				from = change.version
				if change.collection != t.collection ||
					t.namespace != "" && text(change.object, "metadata", "namespace") != t.namespace {
					continue
				}
				kind := change.kind
				if !selected(t, selector, change.object) {
					kind = "DELETED"
				}
				lines <- line{text: event(kind, change.object), version: change.version}
			}
			if extra, number := s.nextExtra(extras); number != extras {
				extras = number
				text, cut := strings.CutSuffix(extra, "<cut>")
				if !own(r) {
					lines <- line{text: []byte(text), cut: cut}
				}
			}
		}
	}()
	return lines
}

func event(kind string, o object) []byte {
	raw, _ := json.Marshal(struct { // the type comes first, as in kube-apiserver
		Type   string `json:"type"`
		Object object `json:"object"`
	}{kind, o})
	return append(raw, '\n')
}

func (s *Server) now() (era, extras int) {
	s.mutex.Lock()
	extras = s.extraNo
	s.mutex.Unlock()
	s.store.mutex.Lock()
	defer s.store.mutex.Unlock()
	return s.era, extras
}

type state int

const (
	going   state = iota
	expired       // history has forgotten the version
	ended         // versions went back
)

// after waits for changes later than a version. For a version in the future it waits silently, as
// kube-apiserver does.
func (s *store) after(from, era int, give func() bool) ([]change, state) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for {
		if s.era != era {
			return nil, ended
		}
		if from < s.oldest {
			return nil, expired
		}
		for i := range s.history {
			if s.history[i].version > from {
				return append([]change{}, s.history[i:]...), going
			}
		}
		if give() {
			return nil, going
		}
		s.changed.Wait()
	}
}

// reached reports whether the store has come to a version. About a version in the future, nothing
// is sent, not even a bookmark.
func (s *store) reached(version int) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return version <= s.version
}

func (s *Server) silentTo(r *http.Request) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.silent && !own(r)
}

func (s *Server) extrasAfter(number int) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.extraNo > number
}

func (s *Server) nextExtra(number int) (string, int) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.extraNo == number {
		return "", number
	}
	return s.extra[number], number + 1
}

// Inject sends a line unchanged to each open watch. If the line ends in <cut>, the connection ends
// there.
func (s *Server) Inject(text string) {
	s.mutex.Lock()
	s.extra = append(s.extra, text)
	s.extraNo = len(s.extra)
	s.mutex.Unlock()
	s.store.mutex.Lock()
	s.changed.Broadcast()
	s.store.mutex.Unlock()
}
