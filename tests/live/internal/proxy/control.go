package proxy

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"
)

// Command carries out one line: a mode, "cut", or "delay 1s".
func (p *Proxy) Command(line string) error {
	words := strings.Fields(line)
	switch {
	case len(words) == 1 && words[0] == "cut":
		p.Cut()
		return nil
	case len(words) == 1:
		return p.Set(Mode(words[0]))
	case len(words) == 2 && words[0] == "delay":
		delay, err := time.ParseDuration(words[1])
		if err != nil {
			return err
		}
		p.Delay(delay)
		return nil
	}
	return errors.New("commands: pass, hold, drop, half, refuse, cut, delay DURATION")
}

// ServeHTTP is the control port: POST /hold, /cut, /delay/1s; GET / returns the number of
// connections.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost {
		if err := p.Command(strings.ReplaceAll(strings.Trim(r.URL.Path, "/"), "/", " ")); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
	}
	now, total := p.Connections()
	fmt.Fprintf(w, "connections=%d total=%d\n", now, total)
}

// A Step is one fault of a script.
type Step struct {
	Command string
	Lasts   time.Duration // duration; afterwards bytes pass without delay
	Pause   time.Duration // time before the next step
}

func (s Step) String() string { return fmt.Sprintf("%s for %v, then %v", s.Command, s.Lasts, s.Pause) }

// Script returns `steps` random faults; the same seed makes the same faults.
func Script(seed uint64, steps int, mean time.Duration) []Step {
	random := rand.New(rand.NewPCG(seed, 0x70726f7879))
	some := func() time.Duration {
		return time.Duration(float64(mean) * (0.2 + 1.6*random.Float64())).Round(time.Millisecond)
	}
	commands := []string{"cut", "hold", "drop", "half", "refuse", "delay 300ms", "delay 2s"}
	var script []Step
	for range steps {
		step := Step{Command: commands[random.IntN(len(commands))], Lasts: some(), Pause: some()}
		if step.Command == "cut" {
			step.Lasts = 0
		}
		script = append(script, step)
	}
	return script
}

// Play runs a script and calls `tell` before each step.
func (p *Proxy) Play(script []Step, tell func(Step)) {
	for _, step := range script {
		tell(step)
		_ = p.Command(step.Command)
		time.Sleep(step.Lasts)
		p.Heal()
		time.Sleep(step.Pause)
	}
}

// Heal passes everything on again. Connections that have lost bytes are broken and are cut.
func (p *Proxy) Heal() {
	p.mutex.Lock()
	lossy := p.mode == Drop || p.mode == Half
	p.mutex.Unlock()
	if lossy {
		p.Cut()
	}
	p.Delay(0)
	_ = p.Set(Pass)
}
