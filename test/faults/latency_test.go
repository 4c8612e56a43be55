package faults

import (
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/consumer"
	"melmastoon.ghasi.io/functions/reservation"
	"melmastoon.ghasi.io/functions/tenantbooking"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/test/system"
)

// TestRecovery_slowDatabase has guests book while each message to and from the databases of our services takes 75 ms, so that
// a statement takes 150 ms. Guests who retry are served. The sandbox stands for services of other teams, and documents are not
// in Cloud SQL in a deployment, so their databases answer at once.
func TestRecovery_slowDatabase(t *testing.T) {
	t.Parallel()
	const delay, journeys = 75 * time.Millisecond, 6
	own := newServer(t)
	network := &slowNetwork{server: own.address().Host, delay: delay, schemas: []string{consumer.Schema, reservation.Schema, tenantbooking.Schema}}
	address := network.listen(t)
	var answers, refused atomic.Int64
	s := deployed(t, own.database(), func(e env.Env) env.Env {
		var c struct {
			URL string `env:"DATABASE_URL"`
		}
		check.Must(t, e.Load(&c))
		return e.With("DATABASE_URL", strings.Replace(c.URL, network.server, address, 1))
	})
	p := newGuestLoad(t, s, 6, journeys, func(_ int, _ system.Request, a system.Answer) {
		answers.Add(1)
		if a.Status == 0 || a.Status >= 500 {
			refused.Add(1)
		}
	})
	p.running.Wait()
	t.Logf("%d journeys, %d answers, %d of them refused, %d delayed messages", len(p.Done()), answers.Load(), refused.Load(), network.delayed.Load())
	check.Equal(t, len(p.Done()), journeys, "journeys ended")
	if network.delayed.Load() == 0 {
		t.Error("got no delayed message, want some")
	}
	s.Settle()
}

// A slowNetwork is a proxy in front of a database server. It delays each message of the connections of some schemas, which name
// their schema as the application_name.
type slowNetwork struct {
	server  string // address
	delay   time.Duration
	schemas []string

	delayed atomic.Int64 // messages
}

// listen serves until the test ends. It returns the address of the proxy.
func (n *slowNetwork) listen(t *testing.T) string {
	t.Helper()
	l := check.Got(net.Listen("tcp", "127.0.0.1:0")).Must(t)
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			go n.serve(client)
		}
	}()
	return l.Addr().String()
}

// serve connects a client to the server until one of them leaves.
func (n *slowNetwork) serve(client net.Conn) {
	defer client.Close()
	first, err := startup(client)
	if err != nil {
		return
	}
	server, err := net.Dial("tcp", n.server)
	if err != nil {
		return
	}
	defer server.Close()
	ended := make(chan struct{}, 2)
	forward := func(to, from net.Conn, sent ...[]byte) {
		n.forward(to, from, n.slow(first), sent...)
		ended <- struct{}{}
	}
	go forward(server, client, first)
	go forward(client, server)
	<-ended
}

// startup reads the first message of a connection, which begins with its length.
func startup(client net.Conn) ([]byte, error) {
	var length [4]byte
	if _, err := io.ReadFull(client, length[:]); err != nil {
		return nil, err
	}
	first := make([]byte, binary.BigEndian.Uint32(length[:]))
	_, err := io.ReadFull(client, first[copy(first, length[:]):])
	return first, err
}

// slow reports whether a startup message is of a schema whose messages are delayed. Its parameters are names and values, each
// ended by a zero byte.
func (n *slowNetwork) slow(first []byte) bool {
	parameters := bytes.Split(first, []byte{0})
	at := slices.IndexFunc(parameters, func(p []byte) bool { return string(p) == "application_name" })
	return at >= 0 && slices.Contains(n.schemas, string(parameters[at+1]))
}

// A message is sent when it is due.
type message struct {
	due  time.Time
	data []byte
}

// forward passes messages on in order, after those that were read before.
func (n *slowNetwork) forward(to, from net.Conn, slow bool, sent ...[]byte) {
	delay := time.Duration(0)
	if slow {
		delay = n.delay
	}
	messages := make(chan message, 1024)
	for _, data := range sent {
		messages <- message{time.Now().Add(delay), data}
	}
	go func() {
		defer close(messages)
		for {
			data := make([]byte, 32<<10)
			read, err := from.Read(data)
			if err != nil {
				return
			}
			messages <- message{time.Now().Add(delay), data[:read]}
		}
	}()
	for m := range messages {
		if slow {
			n.delayed.Add(1)
			<-time.After(time.Until(m.due)) // the delay of the network, not a wait for anything
		}
		if _, err := to.Write(m.data); err != nil {
			return
		}
	}
}
