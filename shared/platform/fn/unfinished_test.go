package fn_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/local/edge"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
)

// TestBody_unfinished sends one byte of a longer body and nothing more. Each request is answered and its connection closed
// within the function's time and the time for the rest of a body.
func TestBody_unfinished(t *testing.T) {
	t.Parallel()
	e, _ := fntest.Surround(t, env.Of(nil))
	take := func(context.Context, fn.Nothing, fn.Call[booking]) (fn.Nothing, error) { return fn.Nothing{}, nil }
	public := serve(fn.Spec{Name: "test-public", Route: "POST /public/{property}"}, take)
	desk := serve(fn.Spec{Name: "test-desk", Route: "POST /desk/{property}", Access: fn.Desk}, take)
	consumes := fn.Event(fn.Spec{Name: "test-consumes", Subject: "melmastoon.test.thing.done.v1"}, func(env.Env) (fn.Handle[fn.Nothing], error) {
		return nil, nil
	})
	mux := check.Got(edge.New([]fn.Function{public, desk, consumes}, func(f fn.Function) (http.Handler, error) { return f.Handler(e) })).Must(t)
	alone, err := public.Handler(e) // as it is deployed: it answers unknown routes itself
	check.Must(t, err)
	const property = "ppt_01J00000000000000000000001"
	for _, test := range []struct {
		name, path string
		handler    http.Handler
		status     int
	}{
		{"a body that is read", "/public/" + property, mux, http.StatusBadRequest},
		{"an unread body, without a token", "/desk/" + property, mux, http.StatusUnauthorized},
		{"an unread body, of an event", "/internal/events/test-consumes", mux, http.StatusUnauthorized},
		{"an unknown route", "/nowhere", mux, http.StatusNotFound},
		{"an unknown route of one function", "/nowhere", alone, http.StatusNotFound},
		{"a wrong method", "/public", alone, http.StatusNotFound},
	} {
		for _, length := range []string{"Content-Length: 1000\r\n\r\nx", "Content-Length: 60000\r\n\r\nx", "Transfer-Encoding: chunked\r\n\r\n3e8\r\nx"} {
			t.Run(test.name, func(t *testing.T) {
				t.Parallel()
				server := httptest.NewServer(test.handler)
				t.Cleanup(server.Close)
				conn := check.Got(net.Dial("tcp", server.Listener.Addr().String())).Must(t)
				t.Cleanup(func() { _ = conn.Close() })
				_, _ = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n%s", test.path, length)
				const maxWait = 10 * time.Second // much more than a second, on a busy machine
				_ = conn.SetReadDeadline(env.Deadline(maxWait))
				in := bufio.NewReader(conn)
				res := check.Got(http.ReadResponse(in, nil)).Must(t, "no answer")
				if _, err := io.Copy(io.Discard, res.Body); err != nil || res.StatusCode != test.status {
					t.Errorf("got %d, %v, want %d", res.StatusCode, err, test.status)
				}
				check.Got(in.ReadByte()).Error(t, io.EOF, "the connection stays open")
			})
		}
	}
}

// TestBody_laterRequests shows that the deadline of one body ends with it: the connection serves a request long after it.
func TestBody_laterRequests(t *testing.T) {
	t.Parallel()
	h := check.Got(bookFunction.Handler(env.Of(nil))).Must(t)
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	conn := check.Got(net.Dial("tcp", server.Listener.Addr().String())).Must(t)
	t.Cleanup(func() { _ = conn.Close() })
	in := bufio.NewReader(conn)
	for i, path := range []string{bookings, "/nowhere", bookings} {
		t.Run(fmt.Sprintf("%q", path), func(t *testing.T) {
			if i > 0 {
				<-time.After(1200 * time.Millisecond) // longer than the deadlines of the request before
			}
			_, _ = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", path, len(right), right)
			res := check.Got(http.ReadResponse(in, nil)).Must(t, "request %d", i+1)
			_, _ = io.Copy(io.Discard, res.Body)
			check.Equal(t, res.StatusCode, map[string]int{bookings: 201, "/nowhere": 404}[path], "request %d", i+1)
		})
	}
}
