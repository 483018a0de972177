// Package bed runs a real etcd and a real kube-apiserver on loopback, with certificates of their own,
// in one folder, for as long as the calling process lives.
package bed

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"berth/tests/live/internal/api"
	"berth/tests/live/internal/pki"
)

// Options of a bed.
type Options struct {
	Folder     string   // the folder for all files
	Kubernetes string   // the program that is kube-apiserver and kube-scheduler
	EtcdServer string   // the program that is etcd
	Audit      bool     // write an audit log, for the checks; this slows the API server
	Flags      []string // further flags of kube-apiserver
	Data       string   // folder of another bed's etcd; this bed starts from a copy of it
}

// Bed is a running cluster without nodes.
type Bed struct {
	Options
	Server    string // URL of the API server
	Etcd      *Process
	APIServer *Process
	Admin     *api.Client
	Authority *pki.Authority // signs certificates; Next may sign a server's
	Next      *pki.Authority
	port      int
	etcd      string // URL
}

// Users that have a certificate and a kubeconfig: name of the files, user, groups.
var Users = [][]string{
	{"admin", "admin", "system:masters"},
	{"kube-scheduler", "system:kube-scheduler"},
	{"berth", "system:serviceaccount:kube-system:berth", "system:serviceaccounts",
		"system:serviceaccounts:kube-system"},
	{"stranger", "stranger"}, // has no rights
}

// Token is the token that the user berth may send instead of a certificate.
const Token = "token-of-the-test-bed"

// New makes the folder's files and starts both servers. After an error, nothing is left running.
func New(options Options) (*Bed, error) {
	ports, err := FreePorts(3)
	if err != nil {
		return nil, err
	}
	b := &Bed{Options: options, port: ports[0]}
	if err := b.prepare(fmt.Sprintf("https://127.0.0.1:%d", b.port)); err != nil {
		return nil, err
	}
	if err := b.start(ports[1], ports[2]); err != nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

// Prepare only writes the files, for a server at this URL that the caller runs.
func Prepare(folder, server string) (*Bed, error) {
	b := &Bed{Options: Options{Folder: folder}}
	return b, b.prepare(server)
}

func (b *Bed) prepare(server string) error {
	if err := b.files(); err != nil {
		return err
	}
	b.Server = server
	if err := os.WriteFile(b.path("server"), []byte(b.Server), 0o600); err != nil {
		return err
	}
	for _, user := range Users {
		if err := b.Kubeconfig(user[0], user[0], b.Server); err != nil {
			return err
		}
	}
	if err := b.TokenKubeconfig("berth-token", b.Server); err != nil {
		return err
	}
	var err error
	b.Admin, err = api.NewClient(b.Server, b.Folder, "admin")
	return err
}

func (b *Bed) start(client, peer int) error {
	var err error
	if b.Data != "" {
		if err = os.CopyFS(b.path("etcd"), os.DirFS(b.Data)); err != nil {
			return err
		}
	}
	clients := fmt.Sprintf("http://127.0.0.1:%d", client)
	b.etcd = clients
	peers := fmt.Sprintf("http://127.0.0.1:%d", peer)
	b.Etcd, err = Start(b.Folder, "etcd", b.EtcdServer, "--name=bed",
		"--data-dir="+b.path("etcd"), "--listen-client-urls="+clients,
		"--advertise-client-urls="+clients, "--listen-peer-urls="+peers,
		"--initial-advertise-peer-urls="+peers, "--initial-cluster=bed="+peers,
		"--quota-backend-bytes=4294967296", "--logger=zap")
	if err != nil {
		return err
	}
	b.APIServer, err = Start(b.Folder, "kube-apiserver", append(b.flags(clients), b.Flags...)...)
	if err != nil {
		return err
	}
	if err := b.Admin.Ready(2 * time.Minute); err != nil {
		return fmt.Errorf("kube-apiserver: %w\n%s", err, b.APIServer.Tail())
	}
	return b.grant()
}

func (b *Bed) flags(etcd string) []string {
	flags := []string{b.Kubernetes, "kube-apiserver",
		"--etcd-servers=" + etcd,
		"--bind-address=127.0.0.1", fmt.Sprintf("--secure-port=%d", b.port),
		"--tls-cert-file=" + b.path("server.crt"), "--tls-private-key-file=" + b.path("server.key"),
		"--client-ca-file=" + b.path("ca.crt"), "--token-auth-file=" + b.path("tokens.csv"),
		"--authorization-mode=RBAC",
		"--service-cluster-ip-range=10.0.0.0/16", "--endpoint-reconciler-type=none",
		"--service-account-issuer=https://bed", "--service-account-key-file=" + b.path("sa.key"),
		"--service-account-signing-key-file=" + b.path("sa.key"),
		"--disable-admission-plugins=ServiceAccount",
	}
	if b.Audit {
		flags = append(flags, "--audit-policy-file="+b.path("audit.yaml"),
			"--audit-log-path="+b.AuditLog(), "--audit-log-format=json")
	}
	return flags
}

// AuditLog is the path of the audit log.
func (b *Bed) AuditLog() string { return b.path("audit.log") }

func (b *Bed) path(name string) string { return filepath.Join(b.Folder, name) }

// Close ends both servers; the folder stays. The API server keeps no state, so it may be killed.
func (b *Bed) Close() {
	if b.APIServer != nil {
		b.APIServer.Kill()
	}
	if b.Etcd != nil {
		b.Etcd.Stop(5 * time.Second)
	}
}

// KillAPIServer ends the API server without warning, as a crash does.
func (b *Bed) KillAPIServer() { b.APIServer.Kill() }

// StartAPIServer starts it again and waits until it is ready.
func (b *Bed) StartAPIServer() error {
	if err := b.APIServer.Restart(); err != nil {
		return err
	}
	return b.Admin.Ready(2 * time.Minute)
}

// Scheduler starts kube-scheduler with the bed's certificate for it; flags are added to its own.
func (b *Bed) Scheduler(name, kubeconfig string, flags ...string) (*Process, error) {
	ports, err := FreePorts(1)
	if err != nil {
		return nil, err
	}
	command := []string{b.Kubernetes, "kube-scheduler", "--kubeconfig=" + kubeconfig,
		"--authentication-kubeconfig=" + kubeconfig, "--authorization-kubeconfig=" + kubeconfig,
		"--bind-address=127.0.0.1", fmt.Sprintf("--secure-port=%d", ports[0])}
	return Start(b.Folder, name, append(command, flags...)...)
}

// KubeconfigPath returns the path of the kubeconfig with this name.
func (b *Bed) KubeconfigPath(name string) string { return b.path(name + ".kubeconfig") }

// Kubeconfig writes NAME.kubeconfig for a user at a server's URL, such as that of a proxy.
func (b *Bed) Kubeconfig(name, user, server string) error {
	return b.KubeconfigTrusting(name, user, server, "ca")
}

// KubeconfigTrusting does the same with the authorities of another file; see Trust.
func (b *Bed) KubeconfigTrusting(name, user, server, authorities string) error {
	return b.config(name, server, authorities, api.Any{"client-certificate": b.path(user + ".crt"),
		"client-key": b.path(user + ".key")})
}

func (b *Bed) config(name, server, authorities string, credentials api.Any) error {
	cluster := api.Any{"server": server}
	if strings.HasPrefix(server, "https:") {
		cluster["certificate-authority"] = b.path(authorities + ".crt")
	} else {
		credentials = api.Any{} // no credentials over http
	}
	text, err := json.MarshalIndent(api.Any{
		"apiVersion": "v1", "kind": "Config", "current-context": "bed",
		"clusters": []api.Any{{"name": "bed", "cluster": cluster}},
		"users":    []api.Any{{"name": "bed", "user": credentials}},
		"contexts": []api.Any{{"name": "bed", "context": api.Any{"cluster": "bed", "user": "bed"}}},
	}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(b.KubeconfigPath(name), text, 0o600)
}

// FreePorts finds loopback ports on which no program listens.
func FreePorts(count int) ([]int, error) {
	var ports []int
	for range count {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer listener.Close()
		ports = append(ports, listener.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}
