package peers

import (
	"context"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/fn/idempotency"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// BenchmarkIdempotency claims and completes, then replays what was completed: ours seals what it keeps, the peer keeps it
// as it is, each statement its own transaction. The peer's keys are hashes, as ours are: a client's key is random, and one
// that counts would always fall on the same page of the index.
func BenchmarkIdempotency(b *testing.B) {
	const clients = 16
	h, n := open(b, clients), times(2_500)
	h.exec(b, `CREATE SCHEMA bare`, `CREATE TABLE bare.idempotency (key text PRIMARY KEY, tenant_id uuid NOT NULL, request_hash text NOT NULL,
		locked_until timestamptz NOT NULL, created_at timestamptz NOT NULL DEFAULT now(), status_code int, headers bytea, response bytea)`)
	ledger, err := idempotency.Open(h.env.With("IDEMPOTENCY_KEYS", "test:"+base64.StdEncoding.EncodeToString(make([]byte, 32))),
		postgres.Open(h.env, "reservation"))
	must(b, err)
	tenant, pool := id.New[id.Tenant](), h.bare(b, clients)
	answer := idempotency.Answer{Status: 201, Header: http.Header{"Location": {"/reservations/1"}}, Body: []byte(strings.Repeat("a", 600))}
	hash := idempotency.Hash([]byte("request"))
	claim := func(key int64) idempotency.Claim {
		return idempotency.Claim{Tenant: tenant, Caller: "desk", Route: "reservation-hold", Key: fmt.Sprint(key),
			Request: hash, Lease: 10 * time.Second}
	}
	var ours, theirs atomic.Int64
	samples := alternate(b, rounds(9),
		rate(clients, n, func(ctx context.Context) error {
			_, replayed, err := ledger.Do(ctx, claim(ours.Add(1)), func(id.Request) idempotency.Answer { return answer })
			return only(err, !replayed)
		}),
		rate(clients, n, func(ctx context.Context) error {
			key := name(theirs.Add(1))
			tag, err := pool.Exec(ctx, `
				INSERT INTO bare.idempotency (key, tenant_id, request_hash, locked_until) VALUES ($1, $2, $3, now() + interval '10 s')
				ON CONFLICT DO NOTHING`, key, [16]byte(tenant), hash)
			if err != nil || tag.RowsAffected() != 1 {
				return only(err, false)
			}
			tag, err = pool.Exec(ctx, `UPDATE bare.idempotency SET status_code = $2, headers = $3, response = $4 WHERE key = $1 AND status_code IS NULL`,
				key, 201, []byte(`{"Location":["/reservations/1"]}`), answer.Body)
			return only(err, tag.RowsAffected() == 1)
		}),
		rate(clients, 2*n, func(ctx context.Context) error {
			_, replayed, err := ledger.Do(ctx, claim(1+rand.Int64N(ours.Load())), func(id.Request) idempotency.Answer { return answer })
			return only(err, replayed)
		}),
		rate(clients, 2*n, func(ctx context.Context) error {
			key := name(1 + rand.Int64N(theirs.Load()))
			tag, err := pool.Exec(ctx, `
				INSERT INTO bare.idempotency (key, tenant_id, request_hash, locked_until) VALUES ($1, $2, $3, now() + interval '10 s')
				ON CONFLICT DO NOTHING`, key, [16]byte(tenant), hash)
			if err != nil || tag.RowsAffected() != 0 {
				return only(err, false)
			}
			var status int
			var request string
			var headers, response []byte
			return pool.QueryRow(ctx, `SELECT request_hash, status_code, headers, response FROM bare.idempotency WHERE key = $1`, key).
				Scan(&request, &status, &headers, &response)
		}),
	)
	put(line{what: fmt.Sprintf("idempotency: claim and complete, %d clients", clients), ours: perSecond("", samples[0]),
		peer: "two plain statements: " + perSecond("", samples[1]), ratio: over(samples[0], samples[1]), least: 0.8})
	put(line{what: fmt.Sprintf("idempotency: replay, %d clients", clients), ours: perSecond("", samples[2]),
		peer: "two plain statements: " + perSecond("", samples[3]), ratio: over(samples[2], samples[3]), least: 0.8})
}

// name is a key as long as ours, and as random.
func name(n int64) string {
	return fmt.Sprintf("reservation-hold:%032d:%s", 7, idempotency.Hash([]byte(strconv.FormatInt(n, 10))))
}

func only(err error, is bool) error {
	if err == nil && !is {
		err = fmt.Errorf("it happened not as it should")
	}
	return err
}
