package bed

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"syscall"

	"berth/tests/live/internal/api"
)

// call sends a request to etcd through its HTTP/JSON gateway.
func (b *Bed) call(path string, body, answer any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	response, err := http.Post(b.etcd+path, "application/json", bytes.NewReader(text))
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("etcd: %s: %s", path, response.Status)
	}
	return json.NewDecoder(response.Body).Decode(answer)
}

// Full raises etcd's alarm that it has no space left, after which etcd accepts no writes, or clears
// it.
func (b *Bed) Full(is bool) error {
	var status struct {
		Header struct {
			Member string `json:"member_id"`
		} `json:"header"`
	}
	if err := b.call("/v3/maintenance/status", api.Any{}, &status); err != nil {
		return err
	}
	action := "DEACTIVATE"
	if is {
		action = "ACTIVATE"
	}
	return b.call("/v3/maintenance/alarm", api.Any{"action": action, "memberID": status.Header.Member,
		"alarm": "NOSPACE"}, &status)
}

// Snapshot keeps etcd's present data: a copy taken while etcd is stopped equals what a crash would
// leave.
func (b *Bed) Snapshot() error {
	if err := os.RemoveAll(b.path("snapshot")); err != nil {
		return err
	}
	if err := b.Etcd.Signal(syscall.SIGSTOP); err != nil {
		return err
	}
	err := os.CopyFS(b.path("snapshot"), os.DirFS(b.path("etcd")))
	if thawed := b.Etcd.Signal(syscall.SIGCONT); err == nil {
		err = thawed
	}
	return err
}

// Restore starts both servers again with the data that Snapshot kept. The audit log starts again,
// too.
func (b *Bed) Restore() error {
	b.KillAPIServer()
	b.Etcd.Kill()
	if err := os.RemoveAll(b.path("etcd")); err != nil {
		return err
	}
	if err := os.Rename(b.path("snapshot"), b.path("etcd")); err != nil {
		return err
	}
	if b.Audit {
		if err := os.Rename(b.AuditLog(), b.AuditLog()+".before"); err != nil {
			return err
		}
	}
	if err := b.Etcd.Restart(); err != nil {
		return err
	}
	return b.StartAPIServer()
}
