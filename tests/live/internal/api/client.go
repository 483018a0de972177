package api

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Agent is the user agent of the bed's own requests.
const Agent = "live-bed"

// Client is one user of an API server.
type Client struct {
	Server string
	HTTP   *http.Client
}

// Refusal is the error for an answer other than 2xx.
type Refusal struct {
	Code   int
	Method string
	Path   string
	Body   string
}

func (r *Refusal) Error() string {
	return fmt.Sprintf("%s %s: %d %s", r.Method, r.Path, r.Code, r.Body)
}

// NewClient reads USER.crt and USER.key in the folder and trusts servers whose certificate is
// signed by ca.crt or next.crt there.
func NewClient(server, folder, user string) (*Client, error) {
	certificate, err := tls.LoadX509KeyPair(filepath.Join(folder, user+".crt"),
		filepath.Join(folder, user+".key"))
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	for _, name := range []string{"ca.crt", "next.crt"} {
		authority, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			return nil, err
		}
		roots.AppendCertsFromPEM(authority)
	}
	transport := &http.Transport{
		TLSClientConfig:     &tls.Config{Certificates: []tls.Certificate{certificate}, RootCAs: roots},
		ForceAttemptHTTP2:   true,
		MaxIdleConnsPerHost: 64,
	}
	return &Client{server, &http.Client{Transport: transport}}, nil
}

// Send does one request; body and answer may be nil. kind is the content type of the body: bytes are
// sent as they are, anything else as JSON.
func (c *Client) Send(ctx context.Context, method, path, kind string, body, answer any) error {
	response, err := c.open(ctx, method, path, kind, body)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if answer == nil {
		_, err = io.Copy(io.Discard, response.Body)
		return err
	}
	return json.NewDecoder(response.Body).Decode(answer)
}

func (c *Client) open(ctx context.Context, method, path, kind string, body any) (*http.Response, error) {
	var reader io.Reader
	if text, is := body.([]byte); is {
		reader = bytes.NewReader(text)
	} else if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		reader = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, c.Server+path, reader)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", Agent)
	if body != nil {
		request.Header.Set("Content-Type", kind)
	}
	response, err := c.HTTP.Do(request)
	if err != nil {
		return nil, err
	}
	if response.StatusCode/100 != 2 {
		text, _ := io.ReadAll(io.LimitReader(response.Body, 2000))
		response.Body.Close()
		return nil, &Refusal{response.StatusCode, method, path, string(text)}
	}
	return response, nil
}

const (
	plainJSON  = "application/json"
	mergePatch = "application/merge-patch+json"
)

// Get reads an object or a list.
func (c *Client) Get(path string, answer any) error {
	return c.Send(context.Background(), http.MethodGet, path, "", nil, answer)
}

// Create posts an object; the answer may be nil.
func (c *Client) Create(path string, object, answer any) error {
	return c.Send(context.Background(), http.MethodPost, path, plainJSON, object, answer)
}

// CreateText posts an object that is written in a format of that content type.
func (c *Client) CreateText(path, kind, text string) error {
	return c.Send(context.Background(), http.MethodPost, path, kind, []byte(text), nil)
}

// passes reports whether the request may succeed later. Admission also answers "forbidden" if it
// cannot reach etcd.
func (r *Refusal) passes() bool {
	return r.Code == http.StatusTooManyRequests || r.Code >= 500 ||
		r.Code == http.StatusForbidden && strings.Contains(r.Body, "rpc error: code = Unavailable")
}

// patience is how long Ensure keeps trying while the server does not answer.
const patience = 2 * time.Minute

// Ensure creates an object unless it exists already, and tries again while the server is away.
func (c *Client) Ensure(path string, object any) error {
	for deadline := time.Now().Add(patience); ; time.Sleep(200 * time.Millisecond) {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		err := c.Send(ctx, http.MethodPost, path, plainJSON, object, nil)
		cancel()
		refused, answered := err.(*Refusal)
		switch {
		case err == nil, answered && refused.Code == http.StatusConflict:
			return nil
		case answered && !refused.passes():
			return err
		case time.Now().After(deadline):
			return err
		}
	}
}

// Patch sends a JSON merge patch.
func (c *Client) Patch(path string, patch any) error {
	return c.Send(context.Background(), http.MethodPatch, path, mergePatch, patch, nil)
}

// Delete deletes an object at once.
func (c *Client) Delete(path string) error {
	return c.Send(context.Background(), http.MethodDelete, path, plainJSON,
		Any{"kind": "DeleteOptions", "apiVersion": "v1", "gracePeriodSeconds": 0}, nil)
}

// Text reads an answer that is not JSON.
func (c *Client) Text(path string) (string, error) {
	response, err := c.open(context.Background(), http.MethodGet, path, "", nil)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return string(text), err
}

// Ready waits until the server reports that it is ready.
func (c *Client) Ready(limit time.Duration) error {
	deadline := time.Now().Add(limit)
	for {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		err := c.Send(ctx, http.MethodGet, "/readyz", "", nil, nil)
		cancel()
		if err == nil {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("not ready after %v: %w", limit, err)
		}
		time.Sleep(100 * time.Millisecond)
	}
}
