package fake

import (
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strconv"
	"strings"
)

// Control is the handler of the control port. The faults that it causes do not affect the bed's own
// requests:
//
//	GET  /requests     the requests so far, as JSON
//	POST /rules        a list of rules, which replaces the previous one
//	POST /token/TEXT   from now on only this token is accepted
//	POST /expire       history is forgotten: watches get 410
//	POST /rewind/N     versions go back by N
//	POST /silent/on    watches send nothing any more (off: they send again)
//	POST /huge/BYTES   each watch gets an event of that length and an unknown type
//	POST /broken       each watch gets a line that is not JSON
//	POST /cut          each watch gets half a line, and its connection ends
func (s *Server) Control() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		words := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
		if r.Method == http.MethodGet && words[0] == "requests" {
			reply(w, http.StatusOK, s.Requests())
			return
		}
		if err := s.command(words, r); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
		}
	})
}

// Lines to inject.
const (
	Broken   = "{\"type\":\"ADDED\",\"object\":{]\n"
	HalfLine = `{"type":"MODIFIED","object":{"metadata":{"na<cut>`
)

// Huge returns an event of an unknown kind that is `bytes` long.
func Huge(bytes int) string {
	return `{"type":"BED","object":{"metadata":{"annotations":{"x":"` + strings.Repeat("x", bytes) +
		`"}}}}` + "\n"
}

// Silence makes watches send nothing, or send again.
func (s *Server) Silence(silent bool) {
	s.mutex.Lock()
	s.silent = silent
	s.mutex.Unlock()
}

func (s *Server) command(words []string, r *http.Request) error {
	argument := ""
	if len(words) > 1 {
		argument = words[1]
	}
	number, _ := strconv.Atoi(argument)
	switch words[0] {
	case "rules":
		var rules []Rule
		if err := json.NewDecoder(r.Body).Decode(&rules); err != nil {
			return err
		}
		return s.SetRules(rules)
	case "token":
		s.mutex.Lock()
		s.token = argument
		s.mutex.Unlock()
	case "expire":
		s.Expire()
	case "rewind":
		s.Rewind(number)
	case "silent":
		s.Silence(argument == "on")
	case "huge":
		s.Inject(Huge(number))
	case "broken":
		s.Inject(Broken)
	case "cut":
		s.Inject(HalfLine)
	default:
		return fmt.Errorf("unknown word %q", words[0])
	}
	return nil
}

// Requests returns the requests so far.
func (s *Server) Requests() []Request {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return append([]Request{}, s.requests...)
}

// Listen serves on a port of loopback (0: any) until the listener is closed: HTTP/1.1 and HTTP/2,
// over TLS if there is a certificate, otherwise with prior knowledge (h2c).
func (s *Server) Listen(port int, certificate, key string) (net.Listener, error) {
	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return nil, err
	}
	protocols := &http.Protocols{}
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(true)
	server := &http.Server{Handler: s, Protocols: protocols,
		ErrorLog: log.New(io.Discard, "", 0)} // connections are cut on purpose
	if certificate == "" {
		go func() { _ = server.Serve(listener) }()
		return listener, nil
	}
	pair, err := tls.LoadX509KeyPair(certificate, key)
	if err != nil {
		listener.Close()
		return nil, err
	}
	server.TLSConfig = &tls.Config{Certificates: []tls.Certificate{pair},
		ClientAuth: tls.RequestClientCert} // client certificates are accepted unchecked
	go func() { _ = server.ServeTLS(listener, "", "") }()
	return listener, nil
}
