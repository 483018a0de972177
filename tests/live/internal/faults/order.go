package faults

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// The objects that the library gets, in this order.
var told = []string{"/api/v1/namespaces", "/api/v1/nodes", "/api/v1/services", "/apis/apps/v1/replicasets",
	"/api/v1/pods"}

// All pods exist before the scheduler starts, so their order is that of the server's list. The
// library must place each of them on the same node, given the same lists.
func order(w *World) error {
	if _, err := w.Plan.LoadPods(w.Bed.Admin, 0); err != nil {
		return err
	}
	lists, err := w.dump()
	if err != nil {
		return err
	}
	began := time.Now()
	if _, err := w.run("scheduler", proxied); err != nil {
		return err
	}
	w.cluster.Settle(time.Second, 5*time.Minute)
	bound, all := w.cluster.Bound()
	w.say("%d of %d bound %.1f s after the start", bound, all, time.Since(began).Seconds())
	if w.Berth == "" {
		return nil
	}
	wanted, err := w.library(lists)
	if err != nil {
		return err
	}
	w.compare(wanted)
	return nil
}

// dump writes the server's lists into files.
func (w *World) dump() ([]string, error) {
	var files []string
	for i, path := range told {
		var list json.RawMessage
		if err := w.Bed.Admin.Get(path, &list); err != nil {
			return nil, err
		}
		file := filepath.Join(w.Folder, fmt.Sprintf("list-%d.json", i))
		if err := os.WriteFile(file, list, 0o600); err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	return files, nil
}

// release returns the API server's release, such as 1.36.
func (w *World) release() (string, error) {
	var version struct{ Major, Minor string }
	err := w.Bed.Admin.Get("/version", &version)
	return version.Major + "." + version.Minor, err
}

func (w *World) minor() (int, error) {
	release, err := w.release()
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimPrefix(release, "1."))
}

// library returns where `berth schedule` places the pods, by namespace/name.
func (w *World) library(lists []string) (map[string]string, error) {
	release, err := w.release()
	if err != nil {
		return nil, err
	}
	arguments := []string{"schedule", "--kubernetes", release, "-o", "json"}
	for _, list := range lists {
		arguments = append(arguments, "-f", list)
	}
	text, err := exec.Command(w.Berth, arguments...).Output()
	if err != nil {
		return nil, fmt.Errorf("berth schedule: %w", err)
	}
	var answer struct {
		Placements []struct{ Namespace, Name, Node string }
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return nil, err
	}
	nodes := map[string]string{}
	for _, p := range answer.Placements {
		nodes[p.Namespace+"/"+p.Name] = p.Node
	}
	return nodes, nil
}

func (w *World) compare(wanted map[string]string) {
	placed := w.cluster.Placements()
	same := 0
	for key, node := range wanted {
		if placed[key] == node {
			same++
		}
	}
	w.say("%d of %d on the nodes that the library names", same, len(wanted))
	if same != len(placed) || same != len(wanted) || same != w.Plan.Pods {
		w.breaks("%d pods of %d are where the library places them", same, len(placed))
	}
}
