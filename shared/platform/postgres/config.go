package postgres

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"path/filepath"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"melmastoon.ghasi.io/shared/platform/env"
)

// A Dialer connects to a Cloud SQL instance with its encryption and IAM identity. Binaries for Cloud SQL set
// DialerKey. Other binaries do not link it.
type Dialer func(ctx context.Context, e env.Env, instance string) (net.Conn, error)

// A Tracer returns a tracer of the calls to the database for a schema, or nil. Tests that count round trips set
// TracerKey. It sees the context of each call.
type Tracer func(schema string) pgx.QueryTracer

// DialerKey and TracerKey are the keys of these functions in an Env.
var (
	DialerKey = env.NewKey[Dialer]("cloud sql dialer")
	TracerKey = env.NewKey[Tracer]("postgres tracer")
)

// where configures the database: a DSN, or an instance on Cloud SQL.
type where struct {
	URL      string `env:"DATABASE_URL"`
	Instance string `env:"CLOUDSQL_INSTANCE"` // project:region:instance
	User     string `env:"CLOUDSQL_USER"`     // the IAM login, without a password
	Name     string `env:"CLOUDSQL_NAME"`
}

// limits keep one function from using up the database's capacity.
type limits struct {
	Pool      int           `env:"DATABASE_POOL,default=4"`
	Statement time.Duration `env:"DATABASE_STATEMENT_TIMEOUT,default=5s"`
	Idle      time.Duration `env:"DATABASE_IDLE_TIMEOUT,default=10s"` // idle in a transaction
}

const (
	// A statement may still end within this time after its caller's deadline. Then its connection stays open and keeps the
	// prepared statement; otherwise a database with a slow network would never answer a first call in time.
	grace = 500 * time.Millisecond

	dialTime = 10 * time.Second // separate limit, because a connection outlives the request that opened it
	lifetime = 30 * time.Minute // long enough to be rare, short enough to follow a failover

	// An idle connection is closed soon, because another process may need one. The pool closes it; if this process gets no CPU
	// between requests, the server does.
	idleTime   = 15 * time.Second
	idleCheck  = 5 * time.Second
	serverIdle = idleTime + 2*idleCheck
)

func poolConfig(e env.Env, schema string) (*pgxpool.Config, error) {
	var l limits
	if err := e.Load(&l); err != nil {
		return nil, err
	}
	conn, err := connConfig(e)
	if err != nil {
		return nil, err
	}
	c, err := pgxpool.ParseConfig("") // pgxpool only accepts a parsed configuration
	if err != nil {
		return nil, err
	}
	if trace, ok := TracerKey.Get(e); ok {
		conn.Tracer = trace(schema)
	}
	conn.BuildContextWatcherHandler = func(p *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.DeadlineContextWatcherHandler{Conn: p.Conn(), DeadlineDelay: grace}
	}
	c.ConnConfig = conn
	c.MaxConns, c.MinConns = int32(max(1, l.Pool)), 0
	c.MaxConnLifetime, c.MaxConnLifetimeJitter, c.MaxConnIdleTime = lifetime, lifetime/10, idleTime
	c.HealthCheckPeriod, c.ShouldPing = idleCheck, shouldPing
	maps.Copy(conn.RuntimeParams, map[string]string{
		"role":                                schema + "_app",
		"app.tenant_id":                       "",
		"application_name":                    schema,
		"search_path":                         "pg_catalog", // statements name their schema; one without fails in its first test
		"timezone":                            "UTC",
		"statement_timeout":                   milliseconds(l.Statement),
		"idle_in_transaction_session_timeout": milliseconds(l.Idle),
		"idle_session_timeout":                milliseconds(serverIdle),
	})
	c.AfterConnect = func(_ context.Context, conn *pgx.Conn) error {
		teach(conn.TypeMap())
		return nil
	}
	return c, nil
}

// teach registers our own types in a connection's type map. Ids need no registration: a uuid column takes their 16 bytes, a text
// column their prefixed form.
func teach(m *pgtype.Map) {
	m.RegisterType(&pgtype.Type{Name: "timestamptz", OID: pgtype.TimestamptzOID, Codec: &pgtype.TimestamptzCodec{ScanLocation: time.UTC}})
}

func milliseconds(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

func connConfig(e env.Env) (*pgx.ConnConfig, error) {
	var w where
	if err := e.Load(&w); err != nil {
		return nil, err
	}
	if w.URL != "" {
		return fromURL(w.URL)
	}
	if w.Instance == "" {
		return nil, errors.New("set DATABASE_URL or CLOUDSQL_INSTANCE")
	}
	return onCloudSQL(e, w)
}

func fromURL(url string) (*pgx.ConnConfig, error) {
	c, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("DATABASE_URL: %w", err) // pgx leaves the password out
	}
	if !verified(&c.Config) {
		return nil, fmt.Errorf("DATABASE_URL: %s is another machine: sslmode must be verify-full or verify-ca", c.Host)
	}
	if c.ConnectTimeout == 0 || c.ConnectTimeout > dialTime {
		c.ConnectTimeout = dialTime
	}
	return c, nil
}

// verified reports whether each address that may be dialled is local or authenticates itself.
func verified(c *pgconn.Config) bool {
	proves := func(host string, tls bool) bool { return tls || onThisMachine(host) }
	ok := proves(c.Host, c.TLSConfig != nil && (!c.TLSConfig.InsecureSkipVerify || c.TLSConfig.VerifyPeerCertificate != nil))
	for _, f := range c.Fallbacks {
		ok = ok && proves(f.Host, f.TLSConfig != nil && (!f.TLSConfig.InsecureSkipVerify || f.TLSConfig.VerifyPeerCertificate != nil))
	}
	return ok
}

func onThisMachine(host string) bool {
	if host == "localhost" || filepath.IsAbs(host) { // a path is a socket
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}

func onCloudSQL(e env.Env, w where) (*pgx.ConnConfig, error) {
	dial, ok := DialerKey.Get(e)
	if !ok {
		return nil, errors.New("CLOUDSQL_INSTANCE is set, but this binary was built without a Cloud SQL dialer")
	}
	c, err := pgx.ParseConfig("sslmode=disable host=localhost") // the dialer has its own TLS
	if err != nil {
		return nil, err
	}
	c.Host, c.User, c.Database, c.ConnectTimeout = w.Instance, w.User, w.Name, dialTime
	c.LookupFunc = func(_ context.Context, host string) ([]string, error) { return []string{host}, nil }
	c.DialFunc = func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx, e, w.Instance) }
	return c, nil
}
