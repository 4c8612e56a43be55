package postgres

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/tracelog"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/testkit/check"
)

func TestConfig_databases(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, url, refusal string
	}{
		{"this machine, by address", "postgres://u@127.0.0.1/d", ""},
		{"this machine, by name", "postgres://u@localhost/d?sslmode=disable", ""},
		{"this machine, by IPv6", "postgres://u@[::1]/d", ""},
		{"this machine, by socket", "postgres://u@/d?host=/run/postgresql", ""},
		{"another machine that proves who it is", "postgres://u@db.example/d?sslmode=verify-full", ""},
		{"another machine whose authority is proved", "postgres://u@db.example/d?sslmode=verify-ca", ""},
		{"another machine in plain text", "postgres://u@db.example/d?sslmode=disable", "sslmode"},
		{"another machine that is merely encrypted", "postgres://u@db.example/d?sslmode=require", "sslmode"},
		{"another machine by default", "postgres://u@db.example/d", "sslmode"},
		{"a second host that does not prove it", "postgres://u@127.0.0.1,db.example/d?sslmode=disable", "sslmode"},
		{"no URL at all", "::", "DATABASE_URL"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := connConfig(env.Of(map[string]string{"DATABASE_URL": test.url}))
			if (err != nil) != (test.refusal != "") {
				t.Fatalf("err = %v, want a refusal: %t", err, test.refusal != "")
			}
			if err != nil && !strings.Contains(err.Error(), test.refusal) {
				t.Errorf("err = %v, want one about %q", err, test.refusal)
			}
		})
	}
}

func TestConfig_errorsHidePassword(t *testing.T) {
	t.Parallel()
	for name, url := range map[string]string{
		"a port that is no number":    "postgres://u:hunter2@db.example:nonsense/d",
		"an address without a server": "postgres://u:hunter2@127.0.0.1:1/d?sslmode=disable",
		"a name without an address":   "postgres://u:hunter2@db.invalid/d?sslmode=verify-full", // RFC 6761 6.4
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second) // a machine without DNS waits longer for the name
			defer cancel()
			_, err := Connect(ctx, env.Of(map[string]string{"DATABASE_URL": url}))
			if err == nil {
				t.Fatal("err = nil, want a failed connection")
			}
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("err = %v, want no password", err)
			}
		})
	}
}

func TestConfig_poolLimits(t *testing.T) {
	t.Parallel()
	e := env.Of(map[string]string{"DATABASE_URL": "postgres://u@127.0.0.1/d"})
	for _, test := range []struct {
		name     string
		env      env.Env
		conns    int32
		settings map[string]string
	}{
		{"by default", e, 4, map[string]string{"role": "inn_app", "statement_timeout": "5000", "idle_in_transaction_session_timeout": "10000", "idle_session_timeout": "25000"}},
		{"as configured", e.With("DATABASE_POOL", "2").With("DATABASE_STATEMENT_TIMEOUT", "70ms"), 2, map[string]string{"statement_timeout": "70"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := check.Got(poolConfig(test.env, "inn")).Must(t)
			switch {
			case c.MaxConns != test.conns:
				t.Errorf("c.MaxConns = %v, want %v", c.MaxConns, test.conns)
			case c.MinConns != 0:
				t.Errorf("c.MinConns = %v, want 0", c.MinConns)
			case c.MaxConnIdleTime > time.Minute:
				t.Errorf("c.MaxConnIdleTime = %v, want at most %v", c.MaxConnIdleTime, time.Minute)
			case c.ConnConfig.ConnectTimeout != dialTime:
				t.Errorf("c.ConnConfig.ConnectTimeout = %v, want %v", c.ConnConfig.ConnectTimeout, dialTime)
			}
			for key, want := range test.settings {
				check.Equal(t, c.ConnConfig.RuntimeParams[key], want, "%s", key)
			}
		})
	}
}

func TestConfig_cloudSQLDialer(t *testing.T) {
	t.Parallel()
	e := env.Of(map[string]string{"CLOUDSQL_INSTANCE": "p:r:i", "CLOUDSQL_USER": "fn@p.iam", "CLOUDSQL_NAME": "melmastoon"})
	err := Open(e, "inn").InTx(t.Context(), func(Tx) error { return nil })
	if err == nil || errors.Is(err, fault.ErrUnavailable) {
		t.Errorf("without a dialler: got %v, want a mistake of the build", err)
	}
	dialled := make(chan string, 1)
	e = DialerKey.With(e, Dialer(func(_ context.Context, _ env.Env, instance string) (net.Conn, error) {
		dialled <- instance
		return nil, errors.New("away")
	}))
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	err = Open(e, "inn").InTx(ctx, func(Tx) error { return nil })
	check.Error(t, err, fault.ErrUnavailable)
	check.Equal(t, <-dialled, "p:r:i", "dialled connection")
}

func TestConfig_tracerPerSchema(t *testing.T) {
	t.Parallel()
	watched := &tracelog.TraceLog{}
	e := TracerKey.With(env.Of(map[string]string{"DATABASE_URL": "postgres://u@127.0.0.1/d"}), Tracer(func(schema string) pgx.QueryTracer {
		if schema == "inn" {
			return watched
		}
		return nil
	}))
	for schema, want := range map[string]pgx.QueryTracer{"inn": watched, "lodge": nil} {
		t.Run(schema, func(t *testing.T) {
			c := check.Got(poolConfig(e, schema)).Must(t)
			if c.ConnConfig.Tracer != want {
				t.Errorf("%s is watched by %v, want %v", schema, c.ConnConfig.Tracer, want)
			}
		})
	}
}
