package main

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"berth/tests/live/internal/bed"
	"berth/tests/live/internal/fake"
)

func runFake(arguments []string) error {
	set := options("fake")
	dir := set.String("dir", "", "folder for certificates and kubeconfigs, as a bed's")
	release := set.String("release", "1.36.2", "what it says it is")
	plain := set.Bool("plain", false, "without TLS: HTTP/1.1, or HTTP/2 with prior knowledge")
	_ = set.Parse(arguments)
	if *dir == "" {
		return errors.New("--dir is needed")
	}
	folder, _ := filepath.Abs(*dir)
	ports, err := bed.FreePorts(2)
	if err != nil {
		return err
	}
	scheme := "https"
	if *plain {
		scheme = "http"
	}
	url := fmt.Sprintf("%s://127.0.0.1:%d", scheme, ports[0])
	if _, err := bed.Prepare(folder, url); err != nil {
		return err
	}
	certificate, key := filepath.Join(folder, "server.crt"), filepath.Join(folder, "server.key")
	if *plain {
		certificate, key = "", ""
	}
	server := fake.New(*release)
	listener, err := server.Listen(ports[0], certificate, key)
	if err != nil {
		return err
	}
	defer listener.Close()
	control, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", ports[1]))
	if err != nil {
		return err
	}
	defer control.Close()
	go func() { _ = http.Serve(control, server.Control()) }()
	fmt.Printf("server=%s control=http://%s kubeconfig=%s\n", url, control.Addr(),
		filepath.Join(folder, "berth.kubeconfig"))
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGINT, syscall.SIGTERM)
	<-ended
	return nil
}
