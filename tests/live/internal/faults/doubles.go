package faults

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"berth/tests/live/internal/bed"
	"berth/tests/live/internal/check"
	"berth/tests/live/internal/fake"
)

// kube-scheduler waits as long as a watch is open, five to ten minutes, even if the watch sends
// nothing.
const deaf = "I2 I7"

// Doubles are the scenarios on the scripted API server, with answers that a real one seldom sends.
var Doubles = []Scenario{
	{Name: "fake", What: "the scripted API server without a script", Short: true, run: quietly},
	{Name: "answers", What: "every answer to bindings, in turn", Short: true, Known: unknown, run: answers},
	{Name: "lists", What: "lists are refused, cut short and late", Short: true, before: lists,
		run: quiet},
	{Name: "leaving", What: "GOAWAY while watches live on and lists are still to come", Short: true,
		before: leaving, run: quiet},
	{Name: "expire", What: "410 to watches, as an event and as an answer", Short: true, run: expire},
	{Name: "lines", What: "lines that are cut, huge, or no JSON", Short: true, run: lines},
	{Name: "flood", What: "429 to everything for 10 s", Known: unknown, run: flood},
	{Name: "slow", What: "bindings are answered after 1, 10 and 50 s", Known: unknown, run: slow,
		after: neverEnded},
	{Name: "refusals", What: "404, 409, 429 and 5xx to evictions and statuses", Short: true,
		Known: unknown, run: refusals},
	{Name: "extended", What: "every answer to the claims for extended resources, in turn", Short: true,
		Known: unknown, run: extended, after: claimedOnce},
	{Name: "silence", What: "watches say nothing for three minutes", Known: deaf, run: silence},
	{Name: "reconnect", What: "a thousand connections are cut", Known: unknown + " I10", run: reconnect},
	{Name: "rewind", What: "versions go back, as after a restored snapshot", Known: deaf,
		run: rewind},
}

// newDouble gives the World the scripted API server.
func newDouble(w *World) error {
	ports, err := bed.FreePorts(1)
	if err != nil {
		return err
	}
	if w.Bed, err = bed.Prepare(w.Folder, fmt.Sprintf("https://127.0.0.1:%d", ports[0])); err != nil {
		return err
	}
	w.Bed.Kubernetes = w.Kubernetes
	w.Fake = fake.New("1.36.2")
	log, err := os.Create(w.Bed.AuditLog())
	if err != nil {
		return err
	}
	w.Fake.Audit(log)
	w.listener, err = w.Fake.Listen(ports[0], filepath.Join(w.Folder, "server.crt"),
		filepath.Join(w.Folder, "server.key"))
	return err
}

func quietly(w *World) error {
	return w.loading(2*time.Second, func() error {
		return w.Plan.LoadUnfit(w.Bed.Admin, w.Plan.Nodes)
	})
}

const toBinding = "/binding$"

// The rules apply in turn: each ends after a number of bindings.
func answers(w *World) error {
	binding := func(r fake.Rule) fake.Rule {
		r.Method, r.Path, r.Times = http.MethodPost, toBinding, 1+w.Random.IntN(5)
		return r
	}
	again := map[string]string{"Retry-After": "1"}
	rules := []fake.Rule{
		binding(fake.Rule{Code: 429, Headers: again, Body: "too many requests"}),
		binding(fake.Rule{Code: 500}),
		binding(fake.Rule{Code: 500, Do: true}),
		binding(fake.Rule{Code: 503, Headers: again}),
		binding(fake.Rule{Code: 504, Do: true}),
		binding(fake.Rule{Code: 504}),
		binding(fake.Rule{Reset: true}),
		binding(fake.Rule{Reset: true, Do: true}),
		binding(fake.Rule{Truncate: 10}),
		binding(fake.Rule{GoAway: true}),
		binding(fake.Rule{DelayMS: 1500}),
		binding(fake.Rule{Code: 403}),
		binding(fake.Rule{Code: 401}),
		binding(fake.Rule{Code: 400}),
		binding(fake.Rule{Code: 422}),
		binding(fake.Rule{Code: 502, Body: "<html>Bad Gateway</html>"}),
	}
	w.Random.Shuffle(len(rules), func(i, j int) { rules[i], rules[j] = rules[j], rules[i] })
	if err := w.Fake.SetRules(rules); err != nil {
		return err
	}
	return quiet(w)
}

// A client gives up after 50 s, but its request is carried out nevertheless.
func slow(w *World) error {
	late := func(delay time.Duration, times int) fake.Rule {
		return fake.Rule{Method: http.MethodPost, Path: toBinding, Skip: w.Random.IntN(50), Times: times,
			DelayMS: int(delay.Milliseconds()), Later: w.Random.IntN(2) == 0}
	}
	if err := w.Fake.SetRules([]fake.Rule{late(50*time.Second, 3), late(50*time.Second, 3),
		late(10*time.Second, 5), late(10*time.Second, 5), late(time.Second, 30)}); err != nil {
		return err
	}
	return quiet(w)
}

// The lease has a connection of its own, so it is kept however late other answers are.
func neverEnded(w *World, _ check.Requests) {
	w.mutex.Lock()
	ends := w.ends
	w.mutex.Unlock()
	if ends > 0 && w.Berth != "" {
		w.breaks("I4: the lease was lost because bindings were answered late")
	}
}

// All possible answers to an eviction, in any order, some of them after it was carried out.
func refusals(w *World) error {
	again := map[string]string{"Retry-After": "1"}
	both := []fake.Rule{{Code: 429, Headers: again}, {Code: 500}, {Code: 503, Do: true}, {Code: 504},
		{Reset: true}, {Reset: true, Do: true}, {Truncate: 10}, {DelayMS: 700}}
	var rules []fake.Rule
	add := func(method, path string, how ...fake.Rule) {
		for _, rule := range how {
			rule.Method, rule.Path, rule.Times = method, path, 1+w.Random.IntN(2)
			rules = append(rules, rule)
		}
	}
	add(http.MethodDelete, "/pods/[^/]*$", both...)
	add(http.MethodDelete, "/pods/[^/]*$", fake.Rule{Code: 404, Do: true}, fake.Rule{Code: 409, Do: true})
	add(http.MethodPatch, "/pods/[^/]*/status$", both...)
	add(http.MethodPatch, "/pods/[^/]*/status$", fake.Rule{Code: 409})
	w.Random.Shuffle(len(rules), func(i, j int) { rules[i], rules[j] = rules[j], rules[i] })
	if err := w.Fake.SetRules(rules); err != nil {
		return err
	}
	return w.Plan.LoadFull(w.Bed.Admin, 30)
}

const toList = `^/(api|apis)/.*(pods|nodes)\?(.*&)?(limit|resourceVersion|fieldSelector)=[^&]*(&(limit|resourceVersion|fieldSelector|continue)=[^&]*)*$`

// The lists that are refused at first are repeated when the connection accepts no more requests.
func leaving(w *World) error {
	return w.Fake.SetRules([]fake.Rule{
		{Method: http.MethodGet, Path: toList, Times: 4, Code: 500},
		{Method: http.MethodGet, Path: "watch=", Times: 12, GoAway: true},
	})
}

func lists(w *World) error {
	const path = toList
	return w.Fake.SetRules([]fake.Rule{
		{Method: http.MethodGet, Path: path, Times: 2, Code: 500},
		{Method: http.MethodGet, Path: path, Times: 2, Code: 429, Headers: map[string]string{"Retry-After": "1"}},
		{Method: http.MethodGet, Path: path, Times: 2, Truncate: 300},
		{Method: http.MethodGet, Path: path, Times: 2, Code: 200, Body: "{"},
		{Method: http.MethodGet, Path: `continue=`, Times: 1, Code: 410},
		{Method: http.MethodGet, Path: path, Times: 2, DelayMS: 2000},
	})
}

func expire(w *World) error {
	return w.loading(6*time.Second, func() error {
		for i := range 6 {
			time.Sleep(w.between(300*time.Millisecond, 1200*time.Millisecond))
			if i%2 == 0 {
				rule := fake.Rule{Method: http.MethodGet, Path: "watch=", Times: 3, Code: 410}
				if err := w.Fake.SetRules([]fake.Rule{rule}); err != nil {
					return err
				}
			}
			w.Fake.Expire()
		}
		return w.Fake.SetRules(nil)
	})
}

func lines(w *World) error {
	return w.loading(5*time.Second, func() error {
		for _, line := range []string{fake.HalfLine, fake.Broken, fake.Huge(4 << 20), fake.HalfLine} {
			time.Sleep(w.between(300*time.Millisecond, 1200*time.Millisecond))
			w.Fake.Inject(line)
		}
		return nil
	})
}

func flood(w *World) error {
	return w.loading(5*time.Second, func() error {
		time.Sleep(w.between(time.Second, 2*time.Second))
		if err := w.Fake.SetRules([]fake.Rule{{Path: ".", Code: 429,
			Headers: map[string]string{"Retry-After": "1"}}}); err != nil {
			return err
		}
		time.Sleep(10 * time.Second)
		return w.Fake.SetRules(nil)
	})
}

func silence(w *World) error {
	return w.loading(5*time.Second, func() error {
		time.Sleep(w.between(time.Second, 2*time.Second))
		w.Fake.Silence(true)
		time.Sleep(3 * time.Minute)
		w.Fake.Silence(false)
		return nil
	})
}

// The server forgets the latest versions and the objects created since then, so clients know
// versions that lie in its future.
func rewind(w *World) error {
	err := w.loading(5*time.Second, func() error {
		time.Sleep(w.between(2*time.Second, 3*time.Second))
		w.Fake.Rewind(500)
		return nil
	})
	w.noticed()
	return err
}

// RunDouble runs one scenario on the scripted API server.
func RunDouble(ctx context.Context, o Options, s Scenario) error {
	return scenario(ctx, o, s, newDouble)
}
