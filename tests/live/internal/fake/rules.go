package fake

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"berth/tests/live/internal/api"
)

// Rule makes the answers to some requests differ from the stored state. The first matching rule
// answers.
type Rule struct {
	Method string `json:"method"` // "" matches any
	Path   string `json:"path"`   // regular expression over path and query
	Skip   int    `json:"skip"`   // this many matching requests are let through first
	Times  int    `json:"times"`  // then the rule answers this many; 0: all later ones
	Do     bool   `json:"do"`     // the request is carried out nevertheless

	Code     int               `json:"code"` // 0: the true answer, changed by the other members
	Headers  map[string]string `json:"headers"`
	Body     string            `json:"body"`
	DelayMS  int               `json:"delayMs"`
	Later    bool              `json:"later"`    // carry the request out after the delay
	Reset    bool              `json:"reset"`    // the connection ends without an answer
	Hang     bool              `json:"hang"`     // no answer, for as long as the client waits
	Truncate int               `json:"truncate"` // the answer ends after this many bytes
	GoAway   bool              `json:"goAway"`   // the connection is given up after the answer, a watch's living on

	pattern *regexp.Regexp
	met     int
}

func (r *Rule) compile() error {
	pattern, err := regexp.Compile(r.Path)
	r.pattern = pattern
	return err
}

// SetRules replaces all rules.
func (s *Server) SetRules(rules []Rule) error {
	compiled := make([]*Rule, len(rules))
	for i := range rules {
		compiled[i] = &rules[i]
		if err := compiled[i].compile(); err != nil {
			return fmt.Errorf("rule %d: %w", i, err)
		}
	}
	s.mutex.Lock()
	s.rules = compiled
	s.mutex.Unlock()
	return nil
}

// own reports whether a request is the bed's own: those are answered truly, whatever the script
// says.
func own(r *http.Request) bool { return r.UserAgent() == api.Agent }

func (s *Server) ruleFor(r *http.Request) *Rule {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for _, rule := range s.rules {
		if own(r) || rule.Method != "" && rule.Method != r.Method || !rule.pattern.MatchString(r.URL.RequestURI()) {
			continue
		}
		rule.met++
		if rule.met > rule.Skip && (rule.Times == 0 || rule.met <= rule.Skip+rule.Times) {
			return rule
		}
	}
	return nil
}

// A buffered answer, so that it can be held back, cut or replaced.
type answer struct {
	header http.Header
	code   int
	body   strings.Builder
}

func (a *answer) Header() http.Header            { return a.header }
func (a *answer) WriteHeader(code int)           { a.code = code }
func (a *answer) Write(text []byte) (int, error) { return a.body.Write(text) }

func (s *Server) obey(rule *Rule, w http.ResponseWriter, r *http.Request) {
	truth := &answer{header: http.Header{}, code: http.StatusOK}
	if rule.GoAway {
		w.Header().Set("Connection", "close") // over HTTP/2 it sends GOAWAY
	}
	if rule.Do || rule.Code == 0 && !rule.Reset && !rule.Hang {
		if r.URL.Query().Get("watch") != "" && rule.Truncate == 0 && rule.Code == 0 {
			s.late(rule, r)
			s.dispatch(w, r)
			return
		}
		if rule.Later {
			s.late(rule, r)
		}
		s.dispatch(truth, r)
	}
	if !rule.Later {
		s.late(rule, r)
	}
	switch {
	case rule.Hang:
		<-r.Context().Done()
		return
	case rule.Reset:
		panic(http.ErrAbortHandler)
	}
	if rule.Code != 0 {
		if !rule.Do {
			body, _ := io.ReadAll(r.Body)
			s.audit(r, time.Now(), string(body), rule.Code, "")
		}
		truth.code = rule.Code
		truth.body.Reset()
		truth.body.WriteString(rule.Body)
		if rule.Body == "" {
			code := refuse(rule.Code, http.StatusText(rule.Code), "as the script says")
			raw, _ := json.Marshal(code.status())
			truth.body.Write(raw)
		}
	}
	for key, values := range truth.header {
		w.Header()[key] = values
	}
	for key, value := range rule.Headers {
		w.Header().Set(key, value)
	}
	body := truth.body.String()
	if rule.Truncate > 0 && rule.Truncate < len(body) {
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		w.WriteHeader(truth.code)
		_, _ = io.WriteString(w, body[:rule.Truncate])
		if flusher, ok := w.(http.Flusher); ok {
			flusher.Flush()
		}
		panic(http.ErrAbortHandler)
	}
	w.WriteHeader(truth.code)
	_, _ = io.WriteString(w, body)
}

func (s *Server) late(rule *Rule, r *http.Request) {
	select {
	case <-r.Context().Done():
	case <-time.After(time.Duration(rule.DelayMS) * time.Millisecond):
	}
}
