package peers

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/sync/errgroup"

	"melmastoon.ghasi.io/schemas"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/contract"
	"melmastoon.ghasi.io/shared/platform/outbox"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// runClients runs n acts with so many concurrent clients.
func runClients(ctx context.Context, clients, n int, act func(context.Context) error) error {
	group, ctx := errgroup.WithContext(ctx)
	left := make(chan struct{}, n)
	for range n {
		left <- struct{}{}
	}
	close(left)
	for range clients {
		group.Go(func() error {
			for range left {
				if err := act(ctx); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return group.Wait()
}

// rate is how many of n acts concurrent clients do in a second.
func rate(clients, n int, act func(context.Context) error) side {
	return func(b *testing.B) float64 {
		return float64(n) / clock(b, func() error { return runClients(b.Context(), clients, n, act) })
	}
}

// insertRow is the outbox's own statement; insertBoth is it in one statement with the row that it tells of.
const (
	insertRow = `
		INSERT INTO sandbox.outbox (id, event_id, tenant_id, subject, ordering_key, payload, envelope, occurred_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`
	insertBoth = `
		WITH told AS (INSERT INTO sandbox.outbox (id, event_id, tenant_id, subject, ordering_key, payload, envelope, occurred_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8))
		INSERT INTO bare.orders (order_id, body) VALUES ($9, $10)`
)

// written are the arguments of insertRow. It validates and marshals as Append does: both sides pay for that.
func written(h *fixture, d event.Draft) ([]any, error) {
	raw, err := d.Seal(h.env.Now(), event.Origin{})
	if err != nil {
		return nil, err
	}
	if err := contract.ValidateOutgoing(d.Subject.Name, raw.Payload); err != nil {
		return nil, err
	}
	envelope, err := json.Marshal(raw.Envelope)
	e := raw.Envelope
	return []any{[16]byte(e.EventID), e.EventID.String(), [16]byte(d.Tenant), e.Subject, d.OrderingKey, []byte(raw.Payload), envelope, e.OccurredAt}, err
}

var body = []byte(`{"note": "a business row of the usual size", "rooms": 2, "nights": 3}`)

// BenchmarkBusinessRow writes a row and the event that tells of it: ours in a transaction of a role and a tenant, the peer
// in one statement that is its own transaction.
func BenchmarkBusinessRow(b *testing.B) {
	const clients = 16
	h, n := open(b, clients), times(8_000)
	h.exec(b, `CREATE SCHEMA bare`, `CREATE TABLE bare.orders (order_id uuid PRIMARY KEY, body jsonb NOT NULL)`,
		`GRANT USAGE ON SCHEMA bare TO sandbox_app`, `GRANT INSERT ON bare.orders TO sandbox_app`)
	store, pool := outbox.Open(h.env, h.db), h.bare(b, clients)
	samples := alternate(b, rounds(3),
		rate(clients, n, func(ctx context.Context) error {
			d := sampleDraft(id.New[id.Request]().String())
			return h.db.InTenant(ctx, d.Tenant, func(tx postgres.Tx) error {
				tx.Queue(`INSERT INTO bare.orders (order_id, body) VALUES (@order, @body)`,
					pgx.StrictNamedArgs{"order": id.New[id.Request](), "body": body})
				return store.Append(ctx, tx, d)
			})
		}),
		rate(clients, n, func(ctx context.Context) error {
			args, err := written(h, sampleDraft(id.New[id.Request]().String()))
			if err == nil {
				_, err = pool.Exec(ctx, insertBoth, append(args, [16]byte(id.New[id.Request]()), body)...)
			}
			return err
		}),
		rate(clients, n, func(ctx context.Context) error {
			args, err := written(h, sampleDraft(id.New[id.Request]().String()))
			if err != nil {
				return err
			}
			return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
				if _, err := tx.Exec(ctx, `INSERT INTO bare.orders (order_id, body) VALUES ($1, $2)`, [16]byte(id.New[id.Request]()), body); err != nil {
					return err
				}
				_, err := tx.Exec(ctx, insertRow, args...)
				return err
			})
		}),
	)
	what := fmt.Sprintf("business row and its event, %d clients", clients)
	put(line{what: what, ours: perSecond("tx", samples[0]), peer: "one CTE: " + perSecond("tx", samples[1]), ratio: over(samples[0], samples[1]), least: 0.75})
	put(line{what: what, ours: perSecond("tx", samples[0]), peer: "plain, statement by statement: " + perSecond("tx", samples[2]), ratio: over(samples[0], samples[2])})
}

// BenchmarkAppend compares the processor time of Append with that of validating a parsed payload and marshalling payload
// and envelope. What the driver takes to send the same statements is taken off both: all are measured between
// sendings, for what is done between system calls costs more than what is done in a loop of its own.
func BenchmarkAppend(b *testing.B) {
	h, n := open(b, 2), times(5_000)
	d := sampleDraft("k")
	raw, err := d.Seal(h.env.Now(), event.Origin{})
	must(b, err)
	args, err := written(h, d)
	must(b, err)
	schema, parsed := compiled(b), parse(b, raw.Payload)
	pool := h.bare(b, 1)
	samples := alternate(b, rounds(9), appends(h, d, n), sends(pool, args, n, func() error { return nil }), sends(pool, args, n, func() error {
		err := schema.Validate(parsed)
		if err == nil {
			_, err = json.Marshal(d.Payload)
		}
		if err == nil {
			_, err = json.Marshal(raw.Envelope)
		}
		return err
	}))
	ours, peer := less(samples[0], samples[1]), less(samples[2], samples[1])
	put(line{what: "append, CPU time", remark: "without the driver's " + micros(samples[1]) + " for the same statements",
		ours: micros(ours), peer: "validation of the parsed payload, marshal of payload and envelope: " + micros(peer), ratio: over(ours, peer), most: 1.5})
}

// less subtracts round by round.
func less(a, b []float64) []float64 {
	var all []float64
	for i := range a {
		all = append(all, a[i]-b[i])
	}
	return all
}

// next is the statement with which what was appended goes out.
const next = `SELECT 1`

// appends appends n events in one transaction, which is then given up.
func appends(h *fixture, d event.Draft, n int) side {
	store := outbox.Open(h.env, h.db)
	return func(b *testing.B) float64 {
		var took float64
		_ = h.db.InTx(b.Context(), func(tx postgres.Tx) error {
			took = cpu(b, func() error {
				for range n {
					if err := store.Append(b.Context(), tx, d); err != nil {
						return err
					}
					if _, err := tx.Exec(b.Context(), next); err != nil {
						return err
					}
				}
				return nil
			})
			return errEnough
		})
		return took / float64(n)
	}
}

// sends sends what Append sends, with the bare driver, and works before each.
func sends(pool *pgxpool.Pool, args []any, n int, work func() error) side {
	return func(b *testing.B) float64 {
		var took float64
		_ = pgx.BeginFunc(b.Context(), pool, func(tx pgx.Tx) error {
			took = cpu(b, func() error {
				for range n {
					if err := work(); err != nil {
						return err
					}
					var batch pgx.Batch
					batch.Queue(`SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, "sandbox outbox k")
					each := append([]any{[16]byte(id.New[id.Event]())}, args[1:]...)
					batch.Queue(insertRow, each...)
					batch.Queue(next)
					if err := tx.SendBatch(b.Context(), &batch).Close(); err != nil {
						return err
					}
				}
				return nil
			})
			return errEnough
		})
		return took / float64(n)
	}
}

func compiled(b *testing.B) *jsonschema.Schema {
	b.Helper()
	text, err := schemas.Events.ReadFile("events/" + allocationFailed.Name + ".json")
	must(b, err)
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	document := parse(b, text).(map[string]any)
	document["additionalProperties"] = false // what is said is held to the closed form
	must(b, c.AddResource("events:it", document))
	s, err := c.Compile("events:it")
	must(b, err)
	return s
}

func parse(b *testing.B, text []byte) any {
	b.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	must(b, err)
	return v
}
