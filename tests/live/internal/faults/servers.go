package faults

import (
	"fmt"
	"os"
	"time"

	"berth/tests/live/internal/api"
	"berth/tests/live/internal/bed"
	"berth/tests/live/internal/check"
	"berth/tests/live/internal/load"
	"berth/tests/live/internal/proxy"
)

// endedOnce checks that the leader has given up.
func endedOnce(w *World, _ check.Requests) {
	w.mutex.Lock()
	ends := w.ends
	w.mutex.Unlock()
	if ends == 0 && w.Berth != "" {
		w.breaks("I4: nobody gave up a lease that could not be renewed for a minute")
	}
}

// Connections are lost while the API server restarts: it no longer knows the watches' versions, and
// there were changes meanwhile.
func gone(w *World) error {
	return w.loading(10*time.Second, func() error {
		time.Sleep(w.between(time.Second, 4*time.Second))
		if err := w.Proxy.Set(proxy.Refuse); err != nil {
			return err
		}
		w.Bed.KillAPIServer()
		if err := w.Bed.StartAPIServer(); err != nil {
			return err
		}
		time.Sleep(w.between(0, time.Second))
		w.Proxy.Heal()
		return nil
	})
}

// listedTwice checks that lost versions cost one list of each kind.
func listedTwice(w *World, requests check.Requests) {
	if count := requests["list pods 200"] - w.compared; count > 2 && w.Berth != "" {
		w.breaks("pods were listed %d times", count)
	}
}

// Without space, etcd accepts no writes; its data can be read.
func full(w *World) error {
	return w.loading(8*time.Second, func() error {
		time.Sleep(w.between(time.Second, 4*time.Second))
		if err := w.Bed.Full(true); err != nil {
			return err
		}
		time.Sleep(w.between(2*time.Second, 7*time.Second)) // the lease is still valid
		return w.Bed.Full(false)
	})
}

// Etcd goes back to an earlier state: pods bound since then are pending again, and objects created
// since then never existed. The watches' versions are in the future, and a server sends nothing
// about those.
func restore(w *World) error {
	if _, err := w.Plan.LoadPods(w.Bed.Admin, 0); err != nil {
		return err
	}
	if err := w.Bed.Snapshot(); err != nil {
		return err
	}
	w.recovers(0, time.Minute)
	after := w.Plan
	after.Namespace, after.Pods = "after", w.Plan.Pods/10
	nodes := after.Nodes
	after.Nodes = 0 // those that are there
	if err := after.LoadNodes(w.Bed.Admin); err != nil {
		return err
	}
	after.Nodes = nodes
	if _, err := after.LoadPods(w.Bed.Admin, 0); err != nil {
		return err
	}
	time.Sleep(w.between(time.Second, 3*time.Second))
	if err := w.Bed.Restore(); err != nil {
		return err
	}
	w.noticed()
	return nil
}

// deafness is how long a watch may be silent before its reader must consider it dead.
const deafness = 150 * time.Second

// noticed waits until the scheduler has found out that its watches' versions are in the future.
// Whatever the bed's own watch saw before no longer counts.
func (w *World) noticed() {
	w.cluster = check.Watch(w.context, w.Bed.Admin, w.subject)
	began := time.Now()
	w.cluster.Settle(time.Second, 5*time.Minute)
	took := time.Since(began)
	w.say("%.0f s until all was bound again", took.Seconds())
	if took > deafness+20*time.Second && w.Berth != "" {
		w.breaks("a watch that says nothing was noticed after %.0f s", took.Seconds())
	}
}

// Claims wait for their volumes; other pods do not wait for them.
func volumes(w *World) error {
	const claims = 12
	if err := w.Plan.LoadVolumes(w.Bed.Admin, claims); err != nil {
		return err
	}
	return w.loading(6*time.Second, func() error {
		time.Sleep(w.between(10*time.Second, 15*time.Second))
		bound, all := w.cluster.Bound()
		w.say("%d of %d bound without volumes", bound, all)
		if bound < all-claims {
			w.breaks("I2: %d pods of %d are bound while others wait for volumes", bound, all)
		}
		go load.VolumeController(w.context, w.Bed.Admin)
		return nil
	})
}

// While pods are evicted, somebody else deletes the victims and creates them again, with another
// uid, on nodes where nothing is evicted.
func victims(w *World) error {
	const count = 20
	done := make(chan error, 1)
	go func() { done <- w.Plan.LoadFull(w.Bed.Admin, count) }()
	path := "/api/v1/namespaces/" + w.Plan.Namespace + "/pods"
	elsewhere := load.App{Name: "low", Replicas: 1, CPU: 1, Memory: 1, Shape: func(*api.Pod) {}}
	for range 3 * count {
		time.Sleep(w.between(0, 60*time.Millisecond))
		name := fmt.Sprintf("low-%03d-%d", w.Random.IntN(count), w.Random.IntN(2))
		if w.Bed.Admin.Delete(path+"/"+name) != nil {
			continue
		}
		pod := w.Plan.Pod(elsewhere, name)
		pod.Spec.NodeName = load.NodeName(w.Random.IntN(w.Plan.Nodes))
		if err := w.Bed.Admin.Ensure(path, pod); err != nil {
			return err
		}
	}
	return <-done
}

// The client's certificate is replaced, then the authority that signed the server's certificate;
// the kubeconfig names files, and these change.
func certificates(w *World) error {
	if err := w.Bed.Trust("trust", w.Bed.Authority); err != nil {
		return err
	}
	_, files := w.user()
	return w.Bed.KubeconfigTrusting(proxied, files, "https://"+w.Proxy.Address, "trust")
}

func renew(w *World) error {
	user := bed.Users[1]
	if w.Berth != "" {
		user = bed.Users[2]
	}
	return w.loading(15*time.Second, func() error {
		time.Sleep(w.between(time.Second, 4*time.Second))
		if err := w.Bed.Authority.Client(user[0], user[1], user[2:]...); err != nil {
			return err
		}
		w.Proxy.Cut() // a connection keeps its certificate until it is cut
		time.Sleep(w.between(3*time.Second, 5*time.Second))
		if err := w.Bed.Next.Server("server"); err != nil {
			return err
		}
		w.Bed.KillAPIServer()
		if err := w.Bed.StartAPIServer(); err != nil {
			return err
		}
		time.Sleep(w.between(0, 2*time.Second)) // no server is trusted until the file exists
		return w.Bed.Trust("trust", w.Bed.Next)
	})
}

func renewed(w *World, _ check.Requests) {
	if count, err := check.Credentials(w.Bed.AuditLog(), w.subject.User); err != nil || count < 2 {
		w.breaks("the new certificate was not used (%d, %v)", count, err)
	}
}

// A plugin's token is valid for some seconds; if there is a file `hang`, the plugin hangs once.
const pluginText = `#!/bin/sh
cd %q || exit 1
if [ -e hang ]; then
  mv hang hung
  exec sleep 600
fi
cat <<END
{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"$(cat token)",
"expirationTimestamp":"$(date -u -d '+4 seconds' +%%Y-%%m-%%dT%%H:%%M:%%SZ)"}}
END
`

func plugin(w *World) error {
	w.cluster.User = bed.Users[2][1]
	w.subject.User = bed.Users[2][1]
	path := w.Folder + "/plugin"
	if err := os.WriteFile(path, []byte(fmt.Sprintf(pluginText, w.Folder)), 0o700); err != nil {
		return err
	}
	return w.Bed.ExecKubeconfig(proxied, "https://"+w.Proxy.Address, path)
}

func hang(w *World) error {
	return w.loading(15*time.Second, func() error {
		time.Sleep(w.between(2*time.Second, 4*time.Second))
		if err := os.WriteFile(w.Folder+"/hang", nil, 0o600); err != nil {
			return err
		}
		time.Sleep(8 * time.Second)
		if _, err := os.Stat(w.Folder + "/hung"); err != nil && w.Berth != "" {
			w.breaks("the plugin was not called when its token had expired")
		}
		_ = os.Remove(w.Folder + "/hang")
		return nil
	})
}
