package proxy

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"
)

// A server that answers each line with "got LINE", and the lines that reached it.
func echo(t *testing.T) (address string, lines chan string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	lines = make(chan string, 100)
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer connection.Close()
				scanner := bufio.NewScanner(connection)
				for scanner.Scan() {
					lines <- scanner.Text()
					fmt.Fprintf(connection, "got %s\n", scanner.Text())
				}
			}()
		}
	}()
	return listener.Addr().String(), lines
}

type client struct {
	t *testing.T
	net.Conn
	reader *bufio.Reader
}

func dial(t *testing.T, p *Proxy) *client {
	t.Helper()
	connection, err := net.Dial("tcp", p.Address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { connection.Close() })
	return &client{t, connection, bufio.NewReader(connection)}
}

// ask sends a line and returns the answer, or what went wrong within the time limit.
func (c *client) ask(line string, within time.Duration) string {
	c.t.Helper()
	_ = c.SetDeadline(time.Now().Add(within))
	fmt.Fprintln(c, line)
	return c.read()
}

func (c *client) read() string {
	answer, err := c.reader.ReadString('\n')
	if err != nil {
		if failed, ok := err.(net.Error); ok && failed.Timeout() {
			return "timeout"
		}
		return "broken"
	}
	return strings.TrimSpace(answer)
}

func start(t *testing.T) (*Proxy, chan string) {
	t.Helper()
	address, lines := echo(t)
	p, err := New(0, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p, lines
}

func expect(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Fatalf("%s: %q instead of %q", what, got, want)
	}
}

const soon, long = 200 * time.Millisecond, 5 * time.Second

func command(t *testing.T, p *Proxy, line string) {
	t.Helper()
	if err := p.Command(line); err != nil {
		t.Fatal(err)
	}
}

func TestHold(t *testing.T) {
	p, _ := start(t)
	c := dial(t, p)
	expect(t, "pass", c.ask("a", long), "got a")
	command(t, p, "hold")
	expect(t, "hold", c.ask("b", soon), "timeout")
	command(t, p, "pass")
	_ = c.SetDeadline(time.Now().Add(long))
	expect(t, "released", c.read(), "got b")
}

func TestDrop(t *testing.T) {
	p, lines := start(t)
	c := dial(t, p)
	command(t, p, "drop")
	expect(t, "drop", c.ask("a", soon), "timeout")
	expect(t, "the request", <-lines, "a")
}

func TestHalf(t *testing.T) {
	p, lines := start(t)
	c := dial(t, p)
	expect(t, "pass", c.ask("a", long), "got a")
	<-lines
	command(t, p, "half")
	expect(t, "half", c.ask("b", soon), "timeout")
	if len(lines) != 0 {
		t.Fatal("the request arrived")
	}
	p.Heal()
	expect(t, "healed", dial(t, p).ask("c", long), "got c")
}

func TestCutAndRefuse(t *testing.T) {
	p, _ := start(t)
	c := dial(t, p)
	expect(t, "pass", c.ask("a", long), "got a")
	command(t, p, "cut")
	expect(t, "cut", c.ask("b", long), "broken")
	expect(t, "a new one", dial(t, p).ask("c", long), "got c")
	command(t, p, "refuse")
	// A reset may arrive before or after Dial returns.
	refused, err := net.Dial("tcp", p.Address)
	if err == nil {
		defer refused.Close()
		_ = refused.SetDeadline(time.Now().Add(long))
		_, err = refused.Read(make([]byte, 1))
	}
	if err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("refuse: %v, not a broken connection", err)
	}
}

func TestDelay(t *testing.T) {
	p, _ := start(t)
	c := dial(t, p)
	command(t, p, "delay 150ms")
	began := time.Now()
	expect(t, "delayed", c.ask("a", long), "got a")
	if time.Since(began) < 150*time.Millisecond {
		t.Fatal("the answer was not late")
	}
}

func TestScriptIsItsSeed(t *testing.T) {
	one, same, other := Script(7, 20, time.Second), Script(7, 20, time.Second), Script(8, 20, time.Second)
	if !reflect.DeepEqual(one, same) || reflect.DeepEqual(one, other) {
		t.Fatal("a script is not a function of its seed")
	}
}

func TestUnknownCommand(t *testing.T) {
	p, _ := start(t)
	for _, line := range []string{"", "explode", "delay much", "delay 1s 2s"} {
		if p.Command(line) == nil {
			t.Fatalf("%q was obeyed", line)
		}
	}
}
