package bed

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Process is a program that the bed has started. It dies with the bed, however the bed ends: the
// kernel kills it when the thread that started it ends.
type Process struct {
	Name    string
	Command []string
	Log     string

	mutex   sync.Mutex
	running *exec.Cmd
	ended   chan struct{}
	result  error
}

// Start starts the program; its output is added to NAME.log in the folder.
func Start(folder, name string, command ...string) (*Process, error) {
	p := &Process{Name: name, Command: command, Log: filepath.Join(folder, name+".log")}
	return p, p.Restart()
}

// Restart starts a program that has ended once more.
func (p *Process) Restart() error {
	log, err := os.OpenFile(p.Log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	running := exec.Command(p.Command[0], p.Command[1:]...)
	running.Stdout, running.Stderr = log, log
	running.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if err := spawn(running); err != nil {
		return fmt.Errorf("%s: %w", p.Name, err)
	}
	ended := make(chan struct{})
	p.mutex.Lock()
	p.running, p.ended = running, ended
	p.mutex.Unlock()
	go func() {
		result := running.Wait()
		p.mutex.Lock()
		p.result = result
		p.mutex.Unlock()
		close(ended)
	}()
	return nil
}

var spawner struct {
	once  sync.Once
	calls chan func()
}

// All programs are started by one thread that never ends.
func spawn(command *exec.Cmd) error {
	spawner.once.Do(func() {
		spawner.calls = make(chan func())
		go func() {
			runtime.LockOSThread()
			for call := range spawner.calls {
				call()
			}
		}()
	})
	result := make(chan error)
	spawner.calls <- func() { result <- command.Start() }
	return <-result
}

func (p *Process) current() (*exec.Cmd, chan struct{}) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.running, p.ended
}

// PID returns the process id.
func (p *Process) PID() int {
	running, _ := p.current()
	return running.Process.Pid
}

// Signal sends a signal to the process.
func (p *Process) Signal(signal syscall.Signal) error {
	running, _ := p.current()
	return running.Process.Signal(signal)
}

// Alive reports whether the process is running.
func (p *Process) Alive() bool {
	_, ended := p.current()
	select {
	case <-ended:
		return false
	default:
		return true
	}
}

// Wait waits for the process to end and returns its exit code, or -1 after the time limit or a
// signal.
func (p *Process) Wait(limit time.Duration) int {
	_, ended := p.current()
	select {
	case <-ended:
	case <-time.After(limit):
		return -1
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	var exit *exec.ExitError
	if errors.As(p.result, &exit) {
		return exit.ExitCode()
	}
	if p.result != nil {
		return -1
	}
	return 0
}

// Kill ends the process at once and waits until it is gone.
func (p *Process) Kill() {
	if p == nil {
		return
	}
	_ = p.Signal(syscall.SIGKILL)
	_, ended := p.current()
	<-ended
}

// Stop asks the process to end, and kills it if it does not end within the limit. Returns the exit
// code, or -1.
func (p *Process) Stop(limit time.Duration) int {
	if p == nil {
		return 0
	}
	_ = p.Signal(syscall.SIGCONT)
	_ = p.Signal(syscall.SIGTERM)
	code := p.Wait(limit)
	p.Kill()
	return code
}

// Text returns the process's log.
func (p *Process) Text() string {
	text, _ := os.ReadFile(p.Log)
	return string(text)
}

// Tail returns the end of the log, for messages.
func (p *Process) Tail() string {
	lines := strings.Split(strings.TrimSpace(p.Text()), "\n")
	if len(lines) > 15 {
		lines = lines[len(lines)-15:]
	}
	return strings.Join(lines, "\n")
}
