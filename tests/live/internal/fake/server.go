package fake

import (
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Request is a request that the server received.
type Request struct {
	Time     time.Time `json:"time"`
	Protocol string    `json:"protocol"`
	Method   string    `json:"method"`
	Path     string    `json:"path"`
	Token    string    `json:"token,omitempty"`
	Body     string    `json:"body,omitempty"`
}

// Server answers like an API server; its Control accepts scripts.
type Server struct {
	*store
	mutex    sync.Mutex
	rules    []*Rule
	requests []Request
	token    string // if set, requests with another token are answered 401
	release  string
	silent   bool
	extra    []string // lines that are sent once to each watch
	extraNo  int
	log      io.Writer
}

// New makes an empty server of a release, such as 1.36.2.
func New(release string) *Server { return &Server{store: newStore(), release: release} }

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(io.LimitReader(r.Body, 16<<20))
	r.Body = io.NopCloser(strings.NewReader(string(body)))
	token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	s.mutex.Lock()
	s.requests = append(s.requests, Request{time.Now(), r.Proto, r.Method, r.URL.RequestURI(), token,
		string(body)})
	refused := s.token != "" && token != s.token
	s.mutex.Unlock()
	if refused {
		reply(w, http.StatusUnauthorized, refuse(http.StatusUnauthorized, "Unauthorized",
			"Unauthorized").status())
		return
	}
	if rule := s.ruleFor(r); rule != nil {
		s.obey(rule, w, r)
		return
	}
	s.dispatch(w, r)
}

func reply(w http.ResponseWriter, code int, o any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(o)
}

// The parts of a path: /api/v1/namespaces/NS/pods/NAME/binding and the like.
type target struct{ collection, namespace, name, subresource string }

func parse(path string) (target, bool) {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	group := 2
	if parts[0] == "apis" {
		group = 3
	}
	if len(parts) <= group {
		return target{}, false
	}
	var t target
	rest := parts[group:]
	if rest[0] == "namespaces" && len(rest) > 2 {
		t.namespace, rest = rest[1], rest[2:]
	}
	t.collection = strings.Join(append(append([]string{}, parts[:group]...), rest[0]), "/")
	if len(rest) > 1 {
		t.name = rest[1]
	}
	if len(rest) > 2 {
		t.subresource = rest[2]
	}
	return t, kinds[t.collection] != ""
}

// dispatch answers from the stored objects.
func (s *Server) dispatch(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(strings.NewReader(string(body)))
	seen := &recorder{ResponseWriter: w, code: http.StatusOK, keep: strings.HasSuffix(r.URL.Path, "/status")}
	defer func() { s.audit(r, began, string(body), seen.code, seen.body.String()) }()
	s.answer(seen, r)
}

func (s *Server) answer(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/version":
		parts := strings.Split(s.release, ".")
		reply(w, http.StatusOK, object{"major": parts[0], "minor": parts[1], "gitVersion": "v" + s.release})
		return
	case "/livez", "/readyz", "/healthz":
		_, _ = io.WriteString(w, "ok")
		return
	case "/api":
		reply(w, http.StatusOK, object{"kind": "APIVersions", "versions": []string{"v1"}})
		return
	case "/apis":
		reply(w, http.StatusOK, groups())
		return
	}
	if listed := resources(strings.Trim(r.URL.Path, "/")); listed != nil && r.Method == http.MethodGet {
		reply(w, http.StatusOK, listed)
		return
	}
	t, known := parse(r.URL.Path)
	if !known {
		reply(w, http.StatusNotFound, refuse(http.StatusNotFound, "NotFound",
			"the server could not find the requested resource").status())
		return
	}
	if t.name == "" && r.Method == http.MethodGet {
		if r.URL.Query().Get("watch") != "" {
			s.watch(w, r, t)
		} else {
			s.page(w, r, t)
		}
		return
	}
	code, o, refused := s.write(r, t)
	if refused != nil {
		reply(w, refused.code, refused.status())
		return
	}
	reply(w, code, o)
}

func groups() object {
	found := map[string][]any{}
	for collection := range kinds {
		parts := strings.Split(collection, "/")
		if parts[0] == "apis" && len(found[parts[1]]) == 0 {
			version := "v1"
			found[parts[1]] = []any{object{"groupVersion": parts[1] + "/" + version, "version": version}}
		}
	}
	var all []any
	for name, versions := range found {
		all = append(all, object{"name": name, "versions": versions, "preferredVersion": versions[0]})
	}
	return object{"kind": "APIGroupList", "apiVersion": "v1", "groups": all}
}

// resources returns the resources of a group and version such as apis/apps/v1, or nil.
func resources(prefix string) object {
	var all []any
	for collection, kind := range kinds {
		if name, found := strings.CutPrefix(collection, prefix+"/"); found && !strings.Contains(name, "/") {
			all = append(all, object{"name": name, "kind": kind, "namespaced": true, "singularName": "",
				"verbs": []string{"create", "delete", "get", "list", "patch", "update", "watch"}})
		}
	}
	if all == nil {
		return nil
	}
	return object{"kind": "APIResourceList", "apiVersion": "v1", "resources": all,
		"groupVersion": strings.SplitN(prefix, "/", 2)[1]}
}

// write handles every request for one object.
func (s *Server) write(r *http.Request, t target) (int, object, *refusal) {
	var body object
	raw, _ := io.ReadAll(r.Body)
	if len(raw) > 0 && json.Unmarshal(raw, &body) != nil {
		return 0, nil, refuse(http.StatusBadRequest, "BadRequest", "not JSON")
	}
	key := t.namespace + "/" + t.name
	switch {
	case r.Method == http.MethodGet:
		s.store.mutex.Lock()
		defer s.store.mutex.Unlock()
		if there := s.objects[t.collection][key]; there != nil {
			return http.StatusOK, there, nil
		}
		return 0, nil, refuse(http.StatusNotFound, "NotFound", "%s %q not found", t.collection, t.name)
	case r.Method == http.MethodPost && t.subresource == "binding":
		refused := s.bind(key, body)
		return http.StatusCreated, object{"kind": "Status", "apiVersion": "v1", "metadata": object{},
			"status": "Success", "code": http.StatusCreated}, refused
	case r.Method == http.MethodPost:
		o, refused := s.create(t.collection, t.namespace, body)
		return http.StatusCreated, o, refused
	case r.Method == http.MethodPut:
		o, refused := s.update(t.collection, key, func(there object) *refusal { return replace(there, body) })
		return http.StatusOK, o, refused
	case r.Method == http.MethodPatch:
		o, refused := s.update(t.collection, key, func(there object) *refusal { return patch(there, body) })
		return http.StatusOK, o, refused
	case r.Method == http.MethodDelete:
		o, refused := s.remove(t.collection, key, body)
		return http.StatusOK, o, refused
	}
	return 0, nil, refuse(http.StatusMethodNotAllowed, "MethodNotAllowed", "%s", r.Method)
}

func replace(there, body object) *refusal {
	version := text(body, "metadata", "resourceVersion")
	if version == "" {
		return refuse(http.StatusUnprocessableEntity, "Invalid",
			"metadata.resourceVersion: Invalid value: 0: must be specified for an update")
	}
	if is := text(there, "metadata", "resourceVersion"); version != is {
		return refuse(http.StatusConflict, "Conflict", "the object has been modified; please apply your "+
			"changes to the latest version and try again")
	}
	m := meta(there)
	for key := range there {
		delete(there, key)
	}
	for key, value := range body {
		there[key] = value
	}
	for _, kept := range []string{"uid", "creationTimestamp", "namespace", "name"} {
		meta(there)[kept] = m[kept]
	}
	return nil
}

// patch merges objects, with conditions matched by type, as a strategic merge patch of a pod's
// status does.
func patch(there, body object) *refusal {
	if uid := text(body, "metadata", "uid"); uid != "" && uid != text(there, "metadata", "uid") {
		return refuse(http.StatusUnprocessableEntity, "Invalid", "metadata.uid: Invalid value: %q: field is "+
			"immutable", uid)
	}
	if version := text(body, "metadata", "resourceVersion"); version != "" &&
		version != text(there, "metadata", "resourceVersion") {
		return refuse(http.StatusConflict, "Conflict", "the object has been modified")
	}
	if status, ok := body["status"].(object); ok {
		conditions, _ := status["conditions"].([]any)
		for _, condition := range conditions {
			setCondition(there, condition.(object))
		}
		delete(status, "conditions")
	}
	merge(there, body)
	return nil
}

func merge(there, body object) {
	for key, value := range body {
		inner, isObject := value.(object)
		old, wasObject := there[key].(object)
		switch {
		case strings.HasPrefix(key, "$"):
		case value == nil:
			delete(there, key)
		case isObject && wasObject:
			merge(old, inner)
		default:
			there[key] = value
		}
	}
}

func selected(t target, query string, o object) bool {
	if kinds[t.collection] != "Pod" || !strings.Contains(query, "status.phase!=") {
		return true
	}
	phase := text(o, "status", "phase")
	return phase != "Succeeded" && phase != "Failed"
}

// page answers a list request, as a whole or in pages; `continue` is the number of the next item.
func (s *Server) page(w http.ResponseWriter, r *http.Request, t target) {
	query := r.URL.Query()
	all, version := s.list(t.collection, t.namespace)
	items := []object{}
	for _, o := range all {
		if selected(t, query.Get("fieldSelector"), o) {
			items = append(items, o)
		}
	}
	m := object{"resourceVersion": strconv.Itoa(version)}
	start := 0
	if token := query.Get("continue"); token != "" {
		start, _ = strconv.Atoi(token)
		start = min(start, len(items))
	}
	items = items[start:]
	if limit, _ := strconv.Atoi(query.Get("limit")); limit > 0 && limit < len(items) && query.Get("resourceVersion") != "0" {
		m["continue"] = strconv.Itoa(start + limit)
		m["remainingItemCount"] = len(items) - limit
		items = items[:limit]
	}
	reply(w, http.StatusOK, object{"kind": kinds[t.collection] + "List",
		"apiVersion": versionOf(t.collection), "metadata": m, "items": items})
}
