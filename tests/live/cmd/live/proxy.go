package main

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"berth/tests/live/internal/proxy"
)

func runProxy(arguments []string) error {
	set := options("proxy")
	target := set.String("target", "", "HOST:PORT to pass on to")
	port := set.Int("port", 0, "port to listen on (0: any; it is printed)")
	control := set.Int("control", 0, "port that takes commands: POST /hold, /cut, /delay/1s, ...")
	seed := set.Uint64("seed", 0, "play a script of random faults (0: none)")
	steps := set.Int("steps", 100, "faults of the script")
	mean := set.Duration("mean", 2*time.Second, "how long faults last, on average")
	_ = set.Parse(arguments)
	if *target == "" {
		return errors.New("--target is needed")
	}
	p, err := proxy.New(*port, *target)
	if err != nil {
		return err
	}
	defer p.Close()
	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", *control))
	if err != nil {
		return err
	}
	defer listener.Close()
	fmt.Printf("proxy=%s control=%s\n", p.Address, listener.Addr())
	go func() { _ = http.Serve(listener, p) }()
	if *seed != 0 {
		go p.Play(proxy.Script(*seed, *steps, *mean), func(step proxy.Step) { fmt.Println(step) })
	}
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGINT, syscall.SIGTERM)
	<-ended
	return nil
}
