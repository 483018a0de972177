// Package pki makes the certificates of a cluster on loopback: an authority of its own, a server's
// certificate and clients' certificates, all as PEM files.
package pki

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// Authority signs certificates; their files are written to Folder.
type Authority struct {
	Folder      string
	name        string
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

// NewAuthority makes an authority and writes NAME.crt and NAME.key into the folder.
func NewAuthority(folder, name string) (*Authority, error) {
	template := draft(pkix.Name{CommonName: name})
	template.IsCA = true
	template.BasicConstraintsValid = true
	template.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature
	key, der, err := sign(template, template, nil)
	if err != nil {
		return nil, err
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	return &Authority{folder, name, certificate, key}, write(folder, name, der, key)
}

// Path returns the path of its certificate.
func (a *Authority) Path() string { return filepath.Join(a.Folder, a.name+".crt") }

// Server writes NAME.crt and NAME.key for a server on loopback.
func (a *Authority) Server(name string) error {
	template := draft(pkix.Name{CommonName: name})
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	template.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback}
	template.DNSNames = []string{"localhost", "kubernetes", "kubernetes.default.svc"}
	return a.issue(name, template)
}

// Client writes NAME.crt and NAME.key for a user and its groups.
func (a *Authority) Client(name, user string, groups ...string) error {
	template := draft(pkix.Name{CommonName: user, Organization: groups})
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	return a.issue(name, template)
}

func (a *Authority) issue(name string, template *x509.Certificate) error {
	key, der, err := sign(template, a.certificate, a.key)
	if err != nil {
		return err
	}
	return write(a.Folder, name, der, key)
}

func draft(subject pkix.Name) *x509.Certificate {
	serial, _ := rand.Int(rand.Reader, big.NewInt(1<<62))
	return &x509.Certificate{
		SerialNumber: serial,
		Subject:      subject,
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(24 * time.Hour),
		KeyUsage:     x509.KeyUsageDigitalSignature,
	}
}

// Without a signer, the certificate is self-signed.
func sign(template, parent *x509.Certificate, signer *ecdsa.PrivateKey) (*ecdsa.PrivateKey, []byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	if signer == nil {
		signer = key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	return key, der, err
}

func write(folder, name string, der []byte, key *ecdsa.PrivateKey) error {
	private, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return err
	}
	path := filepath.Join(folder, name)
	if err := writePEM(path+".key", "EC PRIVATE KEY", private); err != nil {
		return err
	}
	return writePEM(path+".crt", "CERTIFICATE", der)
}

func writePEM(path, kind string, data []byte) error {
	return os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: data}), 0o600)
}
