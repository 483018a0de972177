// Package proxy passes bytes between a client and a server and produces network faults. TLS passes
// through: the proxy sees only bytes.
package proxy

import (
	"fmt"
	"net"
	"sync"
	"time"
)

// Mode says what happens to bytes.
type Mode string

// The modes. A change applies to existing and new connections.
const (
	Pass   Mode = "pass"
	Hold   Mode = "hold"   // bytes in both directions wait
	Drop   Mode = "drop"   // requests arrive, answers are lost
	Half   Mode = "half"   // nothing arrives any more, and no error is reported
	Refuse Mode = "refuse" // no new connections; existing ones end
)

// Proxy is a listener on loopback.
type Proxy struct {
	Address  string // host:port
	target   string
	listener net.Listener

	mutex   sync.Mutex
	changed *sync.Cond
	mode    Mode
	delay   time.Duration
	pairs   map[*pair]bool
	closed  bool
	total   int
}

type pair struct{ client, server *net.TCPConn }

// New listens and passes bytes on to the target, host:port. Port 0 means any free port.
func New(port int, target string) (*Proxy, error) {
	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return nil, err
	}
	p := &Proxy{Address: listener.Addr().String(), target: target, listener: listener,
		mode: Pass, pairs: map[*pair]bool{}}
	p.changed = sync.NewCond(&p.mutex)
	go p.accept()
	return p, nil
}

// Set changes the mode.
func (p *Proxy) Set(mode Mode) error {
	switch mode {
	case Pass, Hold, Drop, Half, Refuse:
	default:
		return fmt.Errorf("no mode %q", mode)
	}
	p.mutex.Lock()
	p.mode = mode
	p.changed.Broadcast()
	p.mutex.Unlock()
	if mode == Refuse {
		p.Cut()
	}
	return nil
}

// Delay delays each piece of an answer by this much.
func (p *Proxy) Delay(delay time.Duration) {
	p.mutex.Lock()
	p.delay = delay
	p.mutex.Unlock()
}

// Cut resets all connections and returns how many there were.
func (p *Proxy) Cut() int {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for q := range p.pairs {
		q.reset()
	}
	return len(p.pairs)
}

// Connections returns the number of open connections, and of all so far.
func (p *Proxy) Connections() (now, total int) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return len(p.pairs), p.total
}

// Close ends the proxy and all connections.
func (p *Proxy) Close() {
	p.mutex.Lock()
	p.closed = true
	p.changed.Broadcast()
	p.mutex.Unlock()
	p.listener.Close()
	p.Cut()
}

func (q *pair) reset() {
	_ = q.client.SetLinger(0)
	_ = q.server.SetLinger(0)
	q.client.Close()
	q.server.Close()
}

func (p *Proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		go p.serve(client.(*net.TCPConn))
	}
}

func (p *Proxy) serve(client *net.TCPConn) {
	p.mutex.Lock()
	refused := p.mode == Refuse || p.closed
	p.mutex.Unlock()
	server, err := net.Dial("tcp", p.target)
	if refused || err != nil {
		_ = client.SetLinger(0)
		client.Close()
		if err == nil {
			server.Close()
		}
		return
	}
	q := &pair{client, server.(*net.TCPConn)}
	p.mutex.Lock()
	p.pairs[q] = true
	p.total++
	p.mutex.Unlock()
	var both sync.WaitGroup
	both.Add(2)
	go func() { defer both.Done(); p.copy(q.server, q.client, false) }()
	go func() { defer both.Done(); p.copy(q.client, q.server, true) }()
	both.Wait()
	q.client.Close()
	q.server.Close()
	p.mutex.Lock()
	delete(p.pairs, q)
	p.mutex.Unlock()
}

// A piece of bytes and when it is due.
type piece struct {
	bytes []byte
	due   time.Time
}

// copy passes the bytes of one direction on, in order, each piece when it is due.
func (p *Proxy) copy(to, from *net.TCPConn, answers bool) {
	pieces := make(chan piece, 1024)
	go func() {
		defer close(pieces)
		for {
			buffer := make([]byte, 32<<10)
			count, err := from.Read(buffer)
			if count > 0 && p.wanted(answers) {
				due := time.Now()
				if answers {
					due = due.Add(p.late())
				}
				pieces <- piece{buffer[:count], due}
			}
			if err != nil {
				return
			}
		}
	}()
	for next := range pieces {
		time.Sleep(time.Until(next.due))
		p.await()
		if _, err := to.Write(next.bytes); err != nil {
			from.Close()
			for range pieces { // keep receiving, so that the reader does not block
			}
			return
		}
	}
	if p.passing() {
		_ = to.CloseWrite()
	}
}

func (p *Proxy) late() time.Duration {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.delay
}

// wanted reports whether bytes of this direction are passed on at all; for held bytes, this is
// decided when they are released.
func (p *Proxy) wanted(answers bool) bool {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return !(p.mode == Half || p.mode == Drop && answers)
}

// await waits while bytes are held.
func (p *Proxy) await() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for p.mode == Hold && !p.closed {
		p.changed.Wait()
	}
}

func (p *Proxy) passing() bool {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.mode != Half
}
