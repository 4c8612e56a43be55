package peers

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
	"golang.org/x/sync/errgroup"

	migrations "melmastoon.ghasi.io/schemas/postgres"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/outbox"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/platform/topic"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// The sandbox's outbox is like every other.
const schema = "sandbox"

var allocationFailed = event.Subject{Name: "melmastoon.inventory.allocation.failed.v1", Version: 1, Producer: "inventory-service"}

func payload(tenant id.Tenant) map[string]any {
	return map[string]any{
		"tenantId": tenant, "propertyId": id.New[id.Property](), "allocationId": id.New[id.Allocation](),
		"reservationId": id.New[id.Reservation](), "roomTypeId": id.New[id.RoomType](), "units": 1, "reasonCode": "expired",
		"stayWindow": map[string]string{"start": "2026-05-01", "end": "2026-05-03"}, "failedAt": "2026-04-30T10:00:00Z",
	}
}

// sampleDraft is an event of about one kilobyte with its envelope.
func sampleDraft(key string) event.Draft {
	tenant := id.New[id.Tenant]()
	return event.Draft{Subject: allocationFailed, Tenant: tenant, OrderingKey: key, AggregateVersion: 1, Payload: payload(tenant)}
}

// nowhere is a publisher that costs nothing.
type nowhere struct{}

func (nowhere) Publish(_ context.Context, messages []topic.Message) []error {
	return make([]error, len(messages))
}

// A fixture is a database with everything that the benchmarks need of it.
type fixture struct {
	*pgtest.Database
	env   env.Env
	db    *postgres.DB
	owner *pgx.Conn
}

// database returns a database with the deployed clock, which cannot be moved.
func database(b testing.TB) *pgtest.Database {
	b.Helper()
	d := pgtest.New(b)
	clock, err := fs.ReadFile(migrations.Files, "platform/0001_clock.up.sql")
	check.Must(b, err)
	_, err = d.Owner(b).PgConn().Exec(b.Context(), string(clock)).ReadAll()
	check.Must(b, err)
	return d
}

func open(b *testing.B, pool int) *fixture {
	b.Helper()
	d := database(b)
	e := d.Env().With("DATABASE_POOL", fmt.Sprint(pool)).With("DATABASE_STATEMENT_TIMEOUT", "5m")
	return &fixture{d, e, postgres.Open(e, schema), d.Owner(b)}
}

// bare is a pool of the owner's, without roles, tenants or hooks. Settings are names, each with its value.
func (h *fixture) bare(b *testing.B, size int, settings ...string) *pgxpool.Pool {
	b.Helper()
	c := check.Got(pgxpool.ParseConfig(h.OwnerURL())).Must(b)
	c.MaxConns = int32(size)
	for s := range slices.Chunk(settings, 2) {
		c.ConnConfig.RuntimeParams[s[0]] = s[1]
	}
	pool := check.Got(pgxpool.NewWithConfig(b.Context(), c)).Must(b)
	b.Cleanup(pool.Close)
	return pool
}

func (h *fixture) exec(b *testing.B, statements ...string) {
	b.Helper()
	for _, s := range statements {
		check.Got(h.owner.Exec(b.Context(), s)).Must(b, "%s", s)
	}
}

// template writes one event, of which the others are copies.
func (h *fixture) template(b *testing.B) {
	b.Helper()
	check.Must(b, h.db.InTx(b.Context(), func(tx postgres.Tx) error {
		return outbox.Open(h.env, h.db).Append(b.Context(), tx, sampleDraft("template"))
	}))
	h.exec(b, `CREATE SCHEMA bare`, `CREATE TABLE bare.template AS SELECT * FROM sandbox.outbox`)
}

// backlog makes so many rows of 5,000 keys wait, in the outbox. Their ids begin with the time, as those of events do.
func (h *fixture) backlog(b *testing.B, n int) {
	b.Helper()
	h.exec(b, `TRUNCATE sandbox.outbox`, fmt.Sprintf(`
		INSERT INTO sandbox.outbox (id, event_id, tenant_id, subject, ordering_key, payload, envelope, occurred_at)
		SELECT ('0190' || lpad(to_hex(n), 8, '0') || substr(md5(n::text), 1, 20))::uuid, event_id, tenant_id, subject, 'key ' || n %% 5000, payload, envelope, occurred_at
		FROM bare.template, generate_series(1, %d) n`, n), `VACUUM ANALYZE sandbox.outbox`, `CHECKPOINT`)
}

// queue makes the same rows wait in a table that has only what a claim/mark loop needs.
func (h *fixture) queue(b *testing.B, n int) {
	b.Helper()
	h.exec(b, `DROP TABLE IF EXISTS bare.queue`, `
		CREATE TABLE bare.queue (seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, subject text NOT NULL,
			ordering_key text NOT NULL, payload jsonb NOT NULL, envelope jsonb NOT NULL, published_at timestamptz) WITH (fillfactor = 90)`,
		`CREATE INDEX ON bare.queue (seq) WHERE published_at IS NULL`, fmt.Sprintf(`
		INSERT INTO bare.queue (subject, ordering_key, payload, envelope)
		SELECT subject, 'key ' || n %% 5000, payload, envelope FROM bare.template, generate_series(1, %d) n`, n),
		`VACUUM ANALYZE bare.queue`, `CHECKPOINT`)
}

// unhurried waits for no disk: a mark that is lost with the power costs any relay a repetition and nothing else.
var unhurried = []string{"synchronous_commit", "off"}

// drain is the bare loop: claim a batch, publish nowhere, mark, commit.
func drain(ctx context.Context, pool *pgxpool.Pool, batch int) error {
	type row struct {
		Seq               int64
		Subject, Key      string
		Payload, Envelope []byte
	}
	for {
		var n int
		err := pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
			rows, _ := tx.Query(ctx, `
				SELECT seq, subject, ordering_key, payload, envelope FROM bare.queue
				WHERE published_at IS NULL ORDER BY seq LIMIT $1 FOR UPDATE SKIP LOCKED`, batch)
			found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[row])
			if n = len(found); err != nil || n == 0 {
				return err
			}
			ids := make([]int64, n)
			for i, r := range found {
				ids[i] = r.Seq
			}
			_, err = tx.Exec(ctx, `UPDATE bare.queue SET published_at = now() WHERE seq = ANY ($1)`, ids)
			return err
		})
		if err != nil || n == 0 {
			return err
		}
	}
}

// BenchmarkRelay publishes a backlog nowhere: our relay with one and four workers, which keeps the order of each key, and
// the bare loop with one, which is all that keeps an order without leases.
func BenchmarkRelay(b *testing.B) {
	h := open(b, 12)
	h.template(b)
	n, pool := times(100_000), h.bare(b, 4, unhurried...)
	relay := outbox.Open(topic.PublisherKey.With(h.env, nowhere{}), h.db)
	ours := func(workers int) side {
		return func(b *testing.B) float64 {
			h.backlog(b, n)
			return float64(n) / clock(b, func() error {
				var group errgroup.Group
				for range workers {
					group.Go(func() error { return relay.Tick(b.Context(), time.Time{}) })
				}
				return group.Wait()
			})
		}
	}
	loop := func(b *testing.B) float64 {
		h.queue(b, n)
		return float64(n) / clock(b, func() error { return drain(b.Context(), pool, 500) })
	}
	samples := alternate(b, rounds(7), ours(1), ours(4), loop)
	bare := "plain claim/mark loop at 500: " + perSecond("rows", samples[2])
	what := fmt.Sprintf("relay, %s rows, 5,000 keys, null publisher, ", thousands(float64(n)))
	put(line{what: what + "four workers", ours: perSecond("rows", samples[1]), peer: bare, ratio: over(samples[1], samples[2]), least: 0.8})
	put(line{what: what + "one worker", ours: perSecond("rows", samples[0]), peer: bare, ratio: over(samples[0], samples[2])})

	jobs := times(20_000)
	rate := riverRate(b, h, jobs)
	put(line{what: what + "four workers", ours: perSecond("rows", samples[1]),
		peer:  fmt.Sprintf("river, %s jobs: %s jobs/s", thousands(float64(jobs)), thousands(rate)),
		ratio: over(samples[1], constant(rate, len(samples[1]))), least: 5})
}

func constant(f float64, n int) []float64 {
	all := make([]float64, n)
	for i := range all {
		all[i] = f
	}
	return all
}

// A job carries what a row carries.
type job struct {
	Subject string         `json:"subject"`
	Body    map[string]any `json:"body"`
	Padding string         `json:"padding"`
}

func (job) Kind() string { return "load" }

type worker struct {
	river.WorkerDefaults[job]
	worked *atomic.Int64
	all    int64
	done   chan struct{}
}

func (w *worker) Work(context.Context, *river.Job[job]) error {
	if w.worked.Add(1) == w.all {
		close(w.done)
	}
	return nil
}

// riverRate works jobs that do nothing, and tells how many in a second until the last is marked.
func riverRate(b *testing.B, h *fixture, n int) float64 {
	b.Helper()
	ctx := b.Context()
	h.exec(b, `CREATE SCHEMA river`)
	pool := h.bare(b, 12, append(unhurried, "search_path", "river")...)
	driver := riverpgxv5.New(pool)
	migrator, err := rivermigrate.New(driver, nil)
	check.Must(b, err)
	_, err = migrator.Migrate(ctx, rivermigrate.DirectionUp, nil)
	check.Must(b, err)
	w := &worker{worked: &atomic.Int64{}, all: int64(n), done: make(chan struct{})}
	workers := river.NewWorkers()
	river.AddWorker(workers, w)
	client, err := river.NewClient(driver, &river.Config{
		Queues:  map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: 500}},
		Workers: workers, FetchCooldown: time.Millisecond, FetchPollInterval: 10 * time.Millisecond,
	})
	check.Must(b, err)
	args := make([]river.InsertManyParams, n)
	body := payload(id.New[id.Tenant]())
	for i := range args {
		args[i] = river.InsertManyParams{Args: job{allocationFailed.Name, body, strings.Repeat("x", 500)}}
	}
	for len(args) > 0 {
		chunk := min(5000, len(args))
		_, err = client.InsertManyFast(ctx, args[:chunk])
		check.Must(b, err)
		args = args[chunk:]
	}
	h.exec(b, `VACUUM ANALYZE river.river_job`, `CHECKPOINT`)
	return float64(n) / clock(b, func() error {
		if err := client.Start(ctx); err != nil {
			return err
		}
		<-w.done
		return client.Stop(ctx) // marks what is still to be marked
	})
}
