package tenantbooking_test

import (
	"context"
	"encoding/base64"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/session"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
	"melmastoon.ghasi.io/shared/event/attribution"
	"melmastoon.ghasi.io/shared/handoff"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/secrets"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// A sender mints handoffs as the consumer site does.
type sender struct {
	t      testing.TB
	keys   handoff.Keys
	tenant id.Tenant
}

func newSender(t testing.TB, e env.Env, tenant id.Tenant) sender {
	t.Helper()
	keys, err := secrets.Handoff(e)
	check.Must(t, err)
	return sender{t, keys, tenant}
}

func (s sender) send(now time.Time) handoff.Token {
	s.t.Helper()
	_, token, err := s.keys.Mint(tenantbookingtest.NewHandoff(s.tenant, now), now)
	check.Must(s.t, err)
	return token
}

// ledgers opens the ledger n times on one database, as n processes do.
func ledgers(t testing.TB, db *pgtest.Database, n int) (all []*session.Arrivals, first env.Env) {
	t.Helper()
	for i := range n {
		e := db.Env()
		if i > 0 {
			e = env.Of(map[string]string{"DATABASE_URL": db.URL()})
			t.Cleanup(func() { _ = e.Close(context.Background()) })
		}
		e = tenantbookingtest.Surround(e).With("HANDOFF_KEYS", "test:"+base64.StdEncoding.EncodeToString(make([]byte, 32)))
		ledger, err := session.OpenArrivals(e)
		check.Must(t, err)
		if all = append(all, ledger); i == 0 {
			first = e
		}
	}
	return all, first
}

func visitor(tenant id.Tenant) session.Visitor {
	v := session.Visitor{Tenant: hotel.Tenant{ID: tenant}, Device: attribution.Desktop}
	v.Session = session.Begin(session.Session{Tenant: tenant, Consent: session.Consent{Telemetry: true}})
	return v
}

// Two thousand handoffs, each used by eight sessions concurrently on two processes: one session of each is accepted.
func TestAccept_oneSession(t *testing.T) {
	t.Parallel()
	const tokens, sessions = 2000, 8
	db := pgtest.New(t)
	processes, e := ledgers(t, db, 2)
	tenant := id.New[id.Tenant]()
	from := newSender(t, e, tenant)
	links := make([]handoff.Token, tokens)
	for i := range links {
		links[i] = from.send(e.Now())
	}
	var accepted, replayed atomic.Int64
	winners := make([]atomic.Int64, tokens)
	var work sync.WaitGroup
	for s := range sessions {
		work.Go(func() {
			ledger, v := processes[s%len(processes)], visitor(tenant)
			for i := range links {
				n := (i + s*7) % tokens // close enough to collide, in a different order for each session
				switch err := accept(t, ledger, v, links[n]); {
				case err == nil:
					accepted.Add(1)
					winners[n].Add(1)
				case errors.Is(err, handoff.ErrReplayed):
					replayed.Add(1)
				default:
					t.Error(err)
					return
				}
			}
		})
	}
	work.Wait()
	check.Equal(t, accepted.Load(), tokens, "handoffs accepted")
	check.Equal(t, replayed.Load(), int64(tokens*(sessions-1)), "handoffs rejected as replayed")
	for i := range winners {
		check.Equal(t, winners[i].Load(), 1, "sessions that handoff %d admits", i)
	}
	tenantbookingtest.WantEvents(t, db, "handoff.consumed", tokens)
	tenantbookingtest.WantEvents(t, db, "flow.error_encountered", tokens*(sessions-1))
}

func accept(t testing.TB, ledger *session.Arrivals, v session.Visitor, link handoff.Token) error {
	verified, err := ledger.Verify(link, v.Tenant.ID)
	if err != nil {
		return err
	}
	_, err = ledger.Accept(t.Context(), v, verified, session.Trace{})
	return err
}

func TestAccept_sameSessionUntilExpiry(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	processes, e := ledgers(t, db, 1)
	ledger, tenant := processes[0], id.New[id.Tenant]()
	guest, other := visitor(tenant), visitor(tenant)
	link, unused := newSender(t, e, tenant).send(e.Now()), newSender(t, e, tenant).send(e.Now())
	verified, err := ledger.Verify(link, tenant)
	check.Must(t, err)
	first, err := ledger.Accept(t.Context(), guest, verified, session.Trace{})
	check.Must(t, err)
	db.Advance(handoff.Lifetime - time.Minute)
	again, err := ledger.Accept(t.Context(), guest, verified, session.Trace{})
	check.Must(t, err)
	check.Equal(t, again, first, "shortly before the expiry")
	check.Error(t, accept(t, ledger, other, link), handoff.ErrReplayed, "another session")
	db.Advance(time.Minute)
	for name, got := range map[string]error{
		"its own session": accept(t, ledger, guest, link), "another": accept(t, ledger, other, link), "unused": accept(t, ledger, guest, unused),
	} {
		t.Run(name, func(t *testing.T) {
			check.Error(t, got, handoff.ErrExpired, "after the expiry")
		})
	}
	tenantbookingtest.WantEvents(t, db, "handoff.consumed", 1)
	tenantbookingtest.WantEvents(t, db, "flow.error_encountered", 1)
}

func TestAccept_expiryByDatabaseClock(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	processes, e := ledgers(t, db, 1)
	tenant := id.New[id.Tenant]()
	// The handoffs expire a second from now and a second ago by Go's clock, which must not decide.
	late := newSender(t, e, tenant).send(e.Now().Add(time.Second - handoff.Lifetime))
	over := newSender(t, e, tenant).send(e.Now().Add(-time.Second - handoff.Lifetime))
	check.NoError(t, accept(t, processes[0], visitor(tenant), late), "a second before its end")
	check.Error(t, accept(t, processes[0], visitor(tenant), over), handoff.ErrExpired, "a second after its end")
	e.Advance(time.Hour) // Go's clock only
	check.NoError(t, accept(t, processes[0], visitor(tenant), newSender(t, e, tenant).send(e.Now().Add(-time.Hour))), "valid by the database's clock")
}

func TestVerify_otherTenant(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	processes, e := ledgers(t, db, 1)
	link := newSender(t, e, id.New[id.Tenant]()).send(e.Now())
	check.Got(processes[0].Verify(link, id.New[id.Tenant]())).Error(t, handoff.ErrSignatureInvalid)
}
