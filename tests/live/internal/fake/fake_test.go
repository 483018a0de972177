package fake

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"berth/tests/live/internal/api"
)

type bench struct {
	*testing.T
	*Server
	url    string
	client *http.Client
}

// both runs a test over both protocols without TLS: HTTP/1.1, and HTTP/2 with prior knowledge.
func both(t *testing.T, test func(*bench)) {
	for _, name := range []string{"HTTP/1.1", "HTTP/2.0"} {
		t.Run(name, func(t *testing.T) {
			s := New("1.36.2")
			listener, err := s.Listen(0, "", "")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { listener.Close() })
			protocols := &http.Protocols{}
			protocols.SetHTTP1(name == "HTTP/1.1")
			protocols.SetUnencryptedHTTP2(name == "HTTP/2.0")
			b := &bench{t, s, "http://" + listener.Addr().String(),
				&http.Client{Transport: &http.Transport{Protocols: protocols}, Timeout: 20 * time.Second}}
			test(b)
			for _, request := range s.Requests() {
				if request.Protocol != name {
					t.Fatalf("%s came by %s", request.Path, request.Protocol)
				}
			}
		})
	}
}

func (b *bench) ask(method, path, body string) (int, object) {
	b.Helper()
	request, _ := http.NewRequest(method, b.url+path, strings.NewReader(body))
	response, err := b.client.Do(request)
	if err != nil {
		return 0, nil
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		return -response.StatusCode, nil
	}
	var o object
	_ = json.Unmarshal(raw, &o)
	return response.StatusCode, o
}

func (b *bench) want(code int, method, path, body string) object {
	b.Helper()
	got, o := b.ask(method, path, body)
	if got != code {
		b.Fatalf("%s %s: %d instead of %d: %v", method, path, got, code, o)
	}
	return o
}

const pods = "/api/v1/namespaces/ns/pods"

func (b *bench) pod(name string) object {
	b.Helper()
	return b.want(201, "POST", pods, fmt.Sprintf(`{"metadata":{"name":%q},"spec":{}}`, name))
}

func binding(uid, node string) string {
	return fmt.Sprintf(`{"metadata":{"uid":%q},"target":{"kind":"Node","name":%q}}`, uid, node)
}

func TestBinding(t *testing.T) {
	both(t, func(b *bench) {
		uid := text(b.pod("p"), "metadata", "uid")
		b.want(409, "POST", pods+"/p/binding", binding("another", "a"))
		b.want(201, "POST", pods+"/p/binding", binding(uid, "a"))
		refused := b.want(409, "POST", pods+"/p/binding", binding(uid, "b"))
		if !strings.Contains(text(refused, "message"), `already assigned to node "a"`) {
			b.Fatal(refused)
		}
		b.want(404, "POST", pods+"/q/binding", binding("", "a"))
		if node := text(b.want(200, "GET", pods+"/p", ""), "spec", "nodeName"); node != "a" {
			b.Fatalf("it is on %q", node)
		}
	})
}

func TestPages(t *testing.T) {
	both(t, func(b *bench) {
		for i := range 5 {
			b.pod(fmt.Sprint("p", i))
		}
		got, token := 0, ""
		for pages := 1; ; pages++ {
			page := b.want(200, "GET", "/api/v1/pods?limit=2&continue="+token, "")
			got += len(page["items"].([]any))
			if token = text(page, "metadata", "continue"); token == "" {
				if pages != 3 || got != 5 {
					b.Fatalf("%d in %d pages", got, pages)
				}
				return
			}
		}
	})
}

// watch opens a watch and returns a function that reads the type of the next line; "" at the end.
func (b *bench) watch(version string) func() string {
	b.Helper()
	response, err := b.client.Get(b.url + "/api/v1/pods?watch=1&resourceVersion=" + version)
	if err != nil || response.StatusCode != 200 {
		b.Fatal(err, response)
	}
	b.Cleanup(func() { response.Body.Close() })
	reader := bufio.NewReader(response.Body)
	return func() string {
		line, err := reader.ReadBytes('\n')
		if err != nil {
			return ""
		}
		var o object
		if json.Unmarshal(line, &o) != nil {
			return "broken"
		}
		if object, ok := o["object"].(map[string]any); ok && o["type"] == "ERROR" {
			return fmt.Sprint("ERROR ", object["code"])
		}
		return text(o, "type")
	}
}

func (b *bench) next(read func() string, want string) {
	b.Helper()
	if got := read(); got != want {
		b.Fatalf("%q instead of %q", got, want)
	}
}

func TestWatch(t *testing.T) {
	both(t, func(b *bench) {
		read := b.watch("1000")
		uid := text(b.pod("p"), "metadata", "uid")
		b.next(read, "ADDED")
		b.want(201, "POST", pods+"/p/binding", binding(uid, "a"))
		b.next(read, "MODIFIED")
		b.Inject(Broken)
		b.next(read, "broken")
		b.Inject(Huge(1 << 20))
		b.next(read, "BED")
		b.want(200, "DELETE", pods+"/p", "{}")
		b.next(read, "DELETED")
		b.Inject(HalfLine)
		b.next(read, "")
	})
}

func TestInitialEvents(t *testing.T) {
	both(t, func(b *bench) {
		b.pod("p")
		b.want(422, "GET", "/api/v1/pods?watch=1&sendInitialEvents=true", "")
		read := b.watch("&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan")
		b.next(read, "ADDED")
		b.next(read, "BOOKMARK")
		b.pod("q")
		b.next(read, "ADDED")
	})
}

func TestExpired(t *testing.T) {
	both(t, func(b *bench) {
		read := b.watch("1000")
		b.Expire()
		b.next(read, "ERROR 410")
		b.next(b.watch("999"), "ERROR 410")
	})
}

// The bed's own reader lists again when history is gone, and misses no object.
func TestFollow(t *testing.T) {
	both(t, func(b *bench) {
		seen := make(chan string, 100)
		c := &api.Client{Server: b.url, HTTP: b.client}
		go func() {
			_ = api.Follow(b.Context(), c, "/api/v1/pods", func(change api.Change[api.Pod]) {
				seen <- strings.TrimSpace(change.Kind + " " + change.Object.Meta.Name)
			})
		}()
		want := func(all ...string) {
			b.Helper()
			for _, one := range all {
				if got := <-seen; got != one {
					b.Fatalf("%q instead of %q", got, one)
				}
			}
		}
		want("Listing", "Synced")
		b.pod("p")
		want("ADDED p")
		b.want(200, "DELETE", pods+"/p", "{}")
		want("DELETED p")
		b.pod("q")
		want("ADDED q")
		b.Expire()
		want("Listing", "ADDED q", "Synced")
		b.pod("r")
		want("ADDED r")
	})
}

// A version from the future is answered with silence.
func TestRewound(t *testing.T) {
	both(t, func(b *bench) {
		version := text(b.pod("p"), "metadata", "resourceVersion")
		open := b.watch(version)
		b.Rewind(500)
		b.next(open, "")
		b.client.Timeout = 300 * time.Millisecond
		b.next(b.watch(version), "")
	})
}

func TestRules(t *testing.T) {
	both(t, func(b *bench) {
		uid := text(b.pod("p"), "metadata", "uid")
		at := func(r Rule) Rule {
			r.Method, r.Path, r.Times = "POST", toBinding, 1
			return r
		}
		if err := b.SetRules([]Rule{at(Rule{Code: 429, Headers: map[string]string{"Retry-After": "3"}}),
			at(Rule{Reset: true}), at(Rule{Code: 500, Do: true})}); err != nil {
			b.Fatal(err)
		}
		b.want(429, "POST", pods+"/p/binding", binding(uid, "a"))
		if text(b.want(200, "GET", pods+"/p", ""), "spec", "nodeName") != "" {
			b.Fatal("it was done")
		}
		b.want(0, "POST", pods+"/p/binding", binding(uid, "a"))
		b.want(500, "POST", pods+"/p/binding", binding(uid, "a"))
		if text(b.want(200, "GET", pods+"/p", ""), "spec", "nodeName") != "a" {
			b.Fatal("it was not done")
		}
		b.want(409, "POST", pods+"/p/binding", binding(uid, "a"))
		if err := b.SetRules([]Rule{{Path: "/nodes", Truncate: 5}}); err != nil {
			b.Fatal(err)
		}
		b.want(-200, "GET", "/api/v1/nodes", "")
		if b.SetRules([]Rule{{Path: "("}}) == nil {
			b.Fatal("a broken pattern was taken")
		}
	})
}

const toBinding = "/binding$"

func TestPatchAndLease(t *testing.T) {
	both(t, func(b *bench) {
		b.pod("p")
		condition := `{"status":{"conditions":[{"type":"PodScheduled","status":"False"}]}}`
		first := text(b.want(200, "PATCH", pods+"/p/status", condition), "metadata", "resourceVersion")
		second := text(b.want(200, "PATCH", pods+"/p/status", condition), "metadata", "resourceVersion")
		if first != second {
			b.Fatal("a patch without effect made a version")
		}
		const leases = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases"
		lease := b.want(201, "POST", leases, `{"metadata":{"name":"l"},"spec":{}}`)
		b.want(422, "PUT", leases+"/l", `{"metadata":{"name":"l"},"spec":{"holderIdentity":"me"}}`)
		raw, _ := json.Marshal(lease)
		b.want(200, "PUT", leases+"/l", strings.Replace(string(raw), `"spec":{}`, `"spec":{"holderIdentity":"me"}`, 1))
		b.want(409, "PUT", leases+"/l", string(raw))
	})
}

func TestControl(t *testing.T) {
	s := New("1.36.2")
	post := func(path, body string) int {
		answer := httptest.NewRecorder()
		s.Control().ServeHTTP(answer, httptest.NewRequest("POST", path, strings.NewReader(body)))
		return answer.Code
	}
	for path, code := range map[string]int{"/rules": 400, "/expire": 200, "/rewind/5": 200, "/silent/on": 200,
		"/huge/10": 200, "/broken": 200, "/cut": 200, "/token/t": 200, "/explode": 400} {
		if got := post(path, "{"); got != code {
			t.Errorf("%s: %d", path, got)
		}
	}
	if code := post("/rules", `[{"path":"."}]`); code != 200 {
		t.Error(code)
	}
}
