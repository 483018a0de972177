package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"berth/tests/live/internal/bed"
)

// findEtcd returns the path of etcd: that of Debian's etcd-server unless another one is given.
func findEtcd() (string, error) {
	for _, name := range []string{os.Getenv("LIVE_ETCD"), "etcd", "/usr/bin/etcd"} {
		if path, err := exec.LookPath(name); name != "" && err == nil {
			return path, nil
		}
	}
	return "", errors.New("etcd is not installed (package etcd-server)")
}

func runBed(arguments []string) error {
	set := options("bed")
	var o bed.Options
	set.StringVar(&o.Folder, "dir", "", "folder of everything, made anew")
	set.StringVar(&o.Kubernetes, "kubernetes", "", "program that is kube-apiserver and kube-scheduler")
	set.BoolVar(&o.Audit, "audit", true, "write audit.log, which `live check` reads")
	owner := set.Int("owner", 0, "process with which the bed ends (0: none)")
	tell := set.String("tell", "", "not a new bed: a word to the one that runs in the folder")
	_ = set.Parse(arguments)
	if o.Folder == "" {
		return errors.New("--dir is needed")
	}
	o.Folder, _ = filepath.Abs(o.Folder)
	if *tell != "" {
		return tellBed(o.Folder, *tell)
	}
	o.Flags = set.Args()
	var err error
	if o.EtcdServer, err = findEtcd(); err != nil {
		return err
	}
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	b, err := bed.New(o)
	if err != nil {
		return err
	}
	defer b.Close()
	control, err := net.Listen("unix", filepath.Join(o.Folder, "control"))
	if err != nil {
		return err
	}
	defer control.Close()
	go serveControl(control, b, ended)
	go watchOwner(*owner, ended)
	if err := os.WriteFile(filepath.Join(o.Folder, "ready"), nil, 0o600); err != nil {
		return err
	}
	<-ended
	return nil
}

func watchOwner(owner int, ended chan<- os.Signal) {
	for owner > 0 && syscall.Kill(owner, 0) == nil {
		time.Sleep(500 * time.Millisecond)
	}
	if owner > 0 {
		ended <- syscall.SIGTERM
	}
}

func serveControl(control net.Listener, b *bed.Bed, ended chan<- os.Signal) {
	for {
		connection, err := control.Accept()
		if err != nil {
			return
		}
		line, _ := bufio.NewReader(connection).ReadString('\n')
		if err := obey(b, strings.Fields(line), ended); err != nil {
			fmt.Fprintln(connection, err)
		} else {
			fmt.Fprintln(connection, "ok")
		}
		connection.Close()
	}
}

func obey(b *bed.Bed, words []string, ended chan<- os.Signal) error {
	processes := map[string]*bed.Process{"etcd": b.Etcd, "kube-apiserver": b.APIServer}
	name := ""
	if len(words) == 2 {
		name = words[1]
	}
	process := processes[name]
	switch {
	case len(words) == 1 && words[0] == "stop":
		ended <- syscall.SIGTERM
		return nil
	case len(words) == 2 && words[0] == "rights":
		return b.Allow(name == "yes")
	case process == nil:
		return errors.New("words: stop; rights yes|no; kill|start|freeze|thaw etcd|kube-apiserver")
	case words[0] == "kill":
		process.Kill()
		return nil
	case words[0] == "freeze":
		return process.Signal(syscall.SIGSTOP)
	case words[0] == "thaw":
		return process.Signal(syscall.SIGCONT)
	case words[0] == "start" && name == "kube-apiserver":
		return b.StartAPIServer()
	case words[0] == "start":
		return process.Restart()
	}
	return fmt.Errorf("unknown word %q", words[0])
}

func tellBed(folder, words string) error {
	connection, err := net.Dial("unix", filepath.Join(folder, "control"))
	if err != nil {
		return err
	}
	defer connection.Close()
	fmt.Fprintln(connection, words)
	answer, err := io.ReadAll(connection)
	if err != nil {
		return err
	}
	if text := strings.TrimSpace(string(answer)); text != "ok" {
		return errors.New(text)
	}
	return nil
}
