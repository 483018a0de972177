package fake

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"
)

// recorder notes the answer to a request.
type recorder struct {
	http.ResponseWriter
	code int
	body strings.Builder
	keep bool
}

func (r *recorder) WriteHeader(code int) {
	r.code = code
	r.ResponseWriter.WriteHeader(code)
}

func (r *recorder) Write(text []byte) (int, error) {
	if r.keep {
		r.body.Write(text)
	}
	return r.ResponseWriter.Write(text)
}

func (r *recorder) Flush() {
	if flusher, ok := r.ResponseWriter.(http.Flusher); ok {
		flusher.Flush()
	}
}

var verbs = map[string]string{http.MethodGet: "get", http.MethodPost: "create", http.MethodPut: "update",
	http.MethodPatch: "patch", http.MethodDelete: "delete"}

// Audit makes the server write a line for each answered request, with the fields of
// kube-apiserver's audit log that the checks read. Call it before the first request.
func (s *Server) Audit(out io.Writer) { s.log = out }

// audit writes one line: what was done, even if the answer was lost on its way.
func (s *Server) audit(r *http.Request, began time.Time, request string, code int, response string) {
	if s.log == nil {
		return
	}
	t, _ := parse(r.URL.Path)
	verb := verbs[r.Method]
	switch {
	case verb == "get" && r.URL.Query().Get("watch") != "":
		verb = "watch"
	case verb == "get" && t.name == "":
		verb = "list"
	}
	user := "anonymous"
	if r.TLS != nil && len(r.TLS.PeerCertificates) > 0 {
		user = r.TLS.PeerCertificates[0].Subject.CommonName
	}
	parts := strings.Split(t.collection, "/")
	line := object{"verb": verb, "requestReceivedTimestamp": began.UTC().Format(time.RFC3339Nano),
		"user": object{"username": user}, "responseStatus": object{"code": code},
		"objectRef": object{"resource": parts[len(parts)-1], "subresource": t.subresource,
			"namespace": t.namespace, "name": t.name}}
	if json.Valid([]byte(request)) {
		line["requestObject"] = json.RawMessage(request)
	}
	if json.Valid([]byte(response)) && t.subresource == "status" {
		line["responseObject"] = json.RawMessage(response)
	}
	raw, _ := json.Marshal(line)
	s.mutex.Lock()
	defer s.mutex.Unlock()
	_, _ = s.log.Write(append(raw, '\n'))
}
