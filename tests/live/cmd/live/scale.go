package main

import (
	"errors"
	"os"
	"path/filepath"

	"berth/tests/live/internal/scale"
)

func runScale(arguments []string) error {
	set := options("scale")
	var o scale.Options
	set.StringVar(&o.Folder, "dir", "", "the folder for logs and kubeconfigs")
	set.StringVar(&o.Berth, "berth", "", "the program")
	set.IntVar(&o.Nodes, "nodes", 1000000, "nodes")
	set.IntVar(&o.Ahead, "ahead", 20000, "pods that wait to be bound at any moment")
	set.IntVar(&o.Seconds, "seconds", 20, "how long pods arrive")
	_ = set.Parse(arguments)
	if o.Folder == "" || o.Berth == "" {
		return errors.New("--dir and --berth are needed")
	}
	o.Folder, _ = filepath.Abs(o.Folder)
	ctx, cancel := untilSignal()
	defer cancel()
	row, err := scale.Run(ctx, o)
	if err != nil {
		return err
	}
	row.Print(os.Stdout, o)
	return nil
}
