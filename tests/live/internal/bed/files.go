package bed

import (
	"fmt"
	"os"

	"berth/tests/live/internal/api"
	"berth/tests/live/internal/pki"
)

// The parts of requests that the checks read: bodies of bindings and patches, and the answers to
// patches, which show whether a patch had an effect.
const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived, ResponseStarted]
rules:
- level: None
  users: [admin, "system:apiserver", "system:anonymous"]
- level: None
  verbs: [get]
- level: Request
  resources: [{group: "", resources: [pods/binding]}]
- level: RequestResponse
  resources: [{group: "", resources: [pods/status]}]
- level: RequestResponse
  verbs: [delete]
  resources: [{group: "", resources: [pods]}]
- level: Request
  resources: [{group: events.k8s.io, resources: [events]}]
- level: Request
  resources: [{group: coordination.k8s.io, resources: [leases]}]
- level: Metadata
`

func (b *Bed) files() error {
	if err := os.MkdirAll(b.Folder, 0o700); err != nil {
		return err
	}
	var err error
	if b.Authority, err = pki.NewAuthority(b.Folder, "ca"); err != nil {
		return err
	}
	if b.Next, err = pki.NewAuthority(b.Folder, "next"); err != nil {
		return err
	}
	if err := b.Authority.Server("server"); err != nil {
		return err
	}
	if err := b.Authority.Client("sa", "service accounts"); err != nil {
		return err
	}
	for _, user := range Users {
		if err := b.Authority.Client(user[0], user[1], user[2:]...); err != nil {
			return err
		}
	}
	berth := Users[2]
	tokens := fmt.Sprintf("%s,%s,1,\"%s,%s\"\n", Token, berth[1], berth[2], berth[3])
	if err := os.WriteFile(b.path("tokens.csv"), []byte(tokens), 0o600); err != nil {
		return err
	}
	if err := os.WriteFile(b.path("token"), []byte(Token+"\n"), 0o600); err != nil {
		return err
	}
	return os.WriteFile(b.path("audit.yaml"), []byte(auditPolicy), 0o600)
}

// WriteToken changes the token in the file that TokenKubeconfig names.
func (b *Bed) WriteToken(token string) error {
	return b.replace("token", []byte(token+"\n"))
}

// replace changes a file atomically: a reader sees either the old file or the new one.
func (b *Bed) replace(name string, text []byte) error {
	temporary := b.path(name + ".new")
	if err := os.WriteFile(temporary, text, 0o600); err != nil {
		return err
	}
	return os.Rename(temporary, b.path(name))
}

// Trust writes NAME.crt with an authority's certificate, for a kubeconfig that names that file.
func (b *Bed) Trust(name string, authority *pki.Authority) error {
	text, err := os.ReadFile(authority.Path())
	if err != nil {
		return err
	}
	return b.replace(name+".crt", text)
}

// TokenKubeconfig writes NAME.kubeconfig for the user berth with a file that holds its token.
func (b *Bed) TokenKubeconfig(name, server string) error {
	return b.config(name, server, "ca", api.Any{"tokenFile": b.path("token")})
}

// ExecKubeconfig writes NAME.kubeconfig for the user whose credentials a plugin returns.
func (b *Bed) ExecKubeconfig(name, server, command string) error {
	return b.config(name, server, "ca", api.Any{"exec": api.Any{"command": command,
		"apiVersion": "client.authentication.k8s.io/v1", "interactiveMode": "Never"}})
}
