package postgres_test

import (
	"io"
	"net"
	"net/url"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// lateProxy refuses the first connections, then forwards all others to the database. It returns its address, and how many it has seen.
func lateProxy(t *testing.T, d *pgtest.Database, refused int) (proxy *url.URL, seen func() int) {
	t.Helper()
	c := check.Got(pgx.ParseConfig(d.OwnerURL())).Must(t)
	network, server := "tcp", net.JoinHostPort(c.Host, strconv.Itoa(int(c.Port)))
	if filepath.IsAbs(c.Host) {
		network, server = "unix", filepath.Join(c.Host, ".s.PGSQL."+strconv.Itoa(int(c.Port)))
	}
	l := check.Got(net.Listen("tcp", "127.0.0.1:0")).Must(t)
	t.Cleanup(func() { _ = l.Close() })
	count := make(chan int, 1)
	count <- 0
	go func() {
		for {
			from, err := l.Accept()
			if err != nil {
				return
			}
			n := <-count
			count <- n + 1
			if n < refused {
				_ = from.Close()
				continue
			}
			to, err := net.Dial(network, server)
			if err != nil {
				_ = from.Close()
				continue
			}
			go func() { _, _ = io.Copy(to, from); _ = to.Close() }()
			go func() { _, _ = io.Copy(from, to); _ = from.Close() }()
		}
	}()
	proxy = &url.URL{Scheme: "postgres", User: url.UserPassword(c.User, c.Password), Host: l.Addr().String(), Path: "/" + c.Database, RawQuery: "sslmode=disable"}
	return proxy, func() int { n := <-count; count <- n; return n }
}

func TestConnect_retries(t *testing.T) {
	t.Parallel()
	proxy, seen := lateProxy(t, pgtest.New(t), 2)
	e := env.Of(map[string]string{"DATABASE_URL": proxy.String()})
	conn := check.Got(postgres.Connect(t.Context(), e)).Must(t)
	check.Must(t, conn.Close(t.Context()))
	check.Equal(t, seen(), 3, "connections")
}

func TestConnect_failure(t *testing.T) {
	t.Parallel()
	proxy, seen := lateProxy(t, pgtest.New(t), 0)
	proxy.Path = "/nothing"
	for _, test := range []struct {
		name, url string
		want      int
	}{
		{"a_database_that_does_not_exist_is_tried_once", proxy.String(), 1},
		{"a_malformed_address_is_not_tried", "postgres://%", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			before := seen()
			check.Got(postgres.Connect(t.Context(), env.Of(map[string]string{"DATABASE_URL": test.url}))).Fails(t, "no error")
			check.Equal(t, seen()-before, test.want, "connections")
		})
	}
}
