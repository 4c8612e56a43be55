package garbage

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"
)

// A request is what goes over the wire, byte for byte: no client stands between that would repair it.
type request struct {
	method, path, query string
	headers             [][2]string
	body                []byte
	length              string // of the body as it is declared; "" is the truth
	broken              bool   // not HTTP any more: the server itself may refuse it
}

func (r *request) set(name, value string) {
	r.drop(name)
	r.add(name, value)
}

func (r *request) add(name, value string) { r.headers = append(r.headers, [2]string{name, value}) }

func (r *request) drop(name string) {
	var kept [][2]string
	for _, h := range r.headers {
		if !strings.EqualFold(h[0], name) {
			kept = append(kept, h)
		}
	}
	r.headers = kept
}

// has reports whether the request has that header.
func (r *request) has(name string) bool {
	for _, h := range r.headers {
		if strings.EqualFold(h[0], name) {
			return true
		}
	}
	return false
}

// String is the request for reading: without the token, and not all of a long body.
func (r *request) String() string {
	shown := *r
	shown.headers = slices.Clone(r.headers)
	for i, h := range shown.headers {
		if h[0] == "Authorization" && len(h[1]) > 300 {
			shown.headers[i][1] = "Bearer (a good one)"
		}
	}
	return fmt.Sprintf("%.1200q", shown.bytes())
}

func (r *request) bytes() []byte {
	var b bytes.Buffer
	target := r.path
	if r.query != "" {
		target += "?" + r.query
	}
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\n", r.method, target)
	for _, h := range r.headers {
		fmt.Fprintf(&b, "%s: %s\r\n", h[0], h[1])
	}
	if r.length != "" {
		fmt.Fprintf(&b, "Content-Length: %s\r\n", r.length)
	} else if len(r.body) > 0 {
		fmt.Fprintf(&b, "Content-Length: %d\r\n", len(r.body))
	}
	b.WriteString("\r\n")
	b.Write(r.body)
	return b.Bytes()
}

// An answer is what came back, and how soon.
type answer struct {
	status int
	header http.Header
	body   []byte
	took   time.Duration
}

// timeout bounds the wait for one answer.
const timeout = 20 * time.Second

// send opens a connection of its own, so that nothing broken spoils what follows, and reads one answer.
func send(ctx context.Context, address string, r *request) (a answer, err error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return a, err
	}
	defer conn.Close()
	_ = conn.(*net.TCPConn).SetLinger(0) // thousands of these leave no address in use
	began := time.Now()
	if err := conn.SetDeadline(began.Add(timeout)); err != nil {
		return a, err
	}
	sent := make(chan error, 1)
	go func() { // a server may answer before it has read everything
		_, err := conn.Write(r.bytes())
		if r.length != "" { // it waits for more than there is
			err = conn.(*net.TCPConn).CloseWrite()
		}
		sent <- err
	}()
	res, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: r.method})
	if err != nil {
		return a, err
	}
	defer res.Body.Close()
	a.status, a.header = res.StatusCode, res.Header
	a.body, err = io.ReadAll(res.Body)
	a.took = time.Since(began)
	_ = conn.Close()
	<-sent // what could not be sent was not wanted
	return a, err
}
