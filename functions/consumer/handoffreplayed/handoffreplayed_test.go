package handoffreplayed

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/consumer/consumertest"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/handoff"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/topic"
	"melmastoon.ghasi.io/shared/pseudonym"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

const (
	redeemer pseudonym.Hash = "sha256:1111111111111111111111111111111111111111111111111111111111111111"
	address  pseudonym.Hash = "sha256:2222222222222222222222222222222222222222222222222222222222222222"
)

// dead is a publisher that records dead-lettered messages and discards others.
type dead struct {
	mu     sync.Mutex
	topics []string
}

func (d *dead) Publish(_ context.Context, messages []topic.Message) []error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, m := range messages {
		if strings.HasSuffix(m.Topic, ".dlq") {
			d.topics = append(d.topics, m.Topic)
		}
	}
	return make([]error, len(messages))
}

// A fixture is the function, and a handoff that was minted.
type fixture struct {
	*consumertest.Site
	t      *testing.T
	dead   *dead
	minted handoff.Handoff
}

func open(t *testing.T) *fixture {
	t.Helper()
	db, lost := pgtest.New(t), new(dead)
	site := consumertest.OpenOn(t, db, topic.PublisherKey.With(db.Env(), lost), Function)
	return &fixture{site, t, lost, site.MintHandoff()}
}

// raw is an error that a guest of the hotel was shown, as the hotel's site tells of it. More is added to what it says, or
// put in its place.
func (r *fixture) raw(code string, more map[string]any) event.Raw {
	r.t.Helper()
	now, session := r.Env.Now(), id.New[id.TenantSession]()
	payload := map[string]any{
		"tenantId": r.minted.Tenant, "sessionId": session, "errorCode": code, "occurredAt": now, "userActionable": false, "retryAfterSec": 0,
		"handoffId": r.minted.ID, "fingerprintHash": redeemer, "ipHash": address,
	}
	for name, value := range more {
		payload[name] = value
		if value == nil {
			delete(payload, name)
		}
	}
	raw, err := event.Draft{
		Subject: event.Subject{Name: Function.Spec.Subject, Version: 1, Producer: "bff-tenant-booking-service", SchemaURI: "https://x.example/1"},
		Tenant:  r.minted.Tenant, OrderingKey: "k", Session: session.String(), Payload: payload,
		Extensions: event.Extensions{"errorcode": code},
	}.Seal(now, event.Origin{CorrelationID: "req-1"})
	check.Must(r.t, err)
	return raw
}

// found is what became of it: how many judgements and replays there are, and the events published.
func (r *fixture) found() (scores, replays int, published []map[string]any) {
	r.t.Helper()
	rows, _ := r.DB.Owner(r.t).Query(r.t.Context(), `
		SELECT payload || jsonb_build_object('envelope', envelope) FROM bff_consumer.outbox
		WHERE subject = 'melmastoon.bff.consumer.bot_suspected.v1' AND parked_reason IS NULL`)
	published, err := pgx.CollectRows(rows, pgx.RowTo[map[string]any])
	check.Must(r.t, err)
	err = r.DB.Owner(r.t).QueryRow(r.t.Context(), `
		SELECT (SELECT count(*) FROM bff_consumer.bot_scores), (SELECT sum(replays) FROM bff_consumer.handoff_ledger)`).Scan(&scores, &replays)
	check.Must(r.t, err)
	return scores, replays, published
}

func TestHandoffReplayed_recordsScore(t *testing.T) {
	t.Parallel()
	r := open(t)
	first := r.raw(replayed, nil)
	for range 3 { // the same event comes again, under whatever message id
		r.Front.Push(Function, first).Must(t, 204)
	}
	scores, replays, published := r.found()
	check.MustEqual(t, scores, 1)
	check.MustEqual(t, replays, 1)
	check.MustEqual(t, len(published), 1)
	envelope, _ := published[0]["envelope"].(map[string]any)
	if published[0]["fingerprintHash"] != string(redeemer) {
		t.Errorf(`published[0]["fingerprintHash"] = %v, want %q`, published[0]["fingerprintHash"], string(redeemer))
	}
	if published[0]["ipHash"] != string(address) {
		t.Errorf(`published[0]["ipHash"] = %v, want %q`, published[0]["ipHash"], string(address))
	}
	check.Equal(t, published[0]["guestSessionId"], nil)
	if published[0]["verdict"] != "suspect" {
		t.Errorf(`published[0]["verdict"] = %v, want "suspect"`, published[0]["verdict"])
	}
	if published[0]["actionTaken"] != "none" {
		t.Errorf(`published[0]["actionTaken"] = %v, want "none"`, published[0]["actionTaken"])
	}
	if published[0]["score"] != 0.5 {
		t.Errorf(`published[0]["score"] = %v, want 0.5`, published[0]["score"])
	}
	check.Equal(t, envelope["tenantId"], nil, "in the envelope")
	check.Equal[any](t, envelope["causationId"], first.Envelope.EventID.String(), "in the envelope")
	if envelope["correlationId"] != "req-1" {
		t.Errorf(`in the envelope: envelope["correlationId"] = %v, want "req-1"`, envelope["correlationId"])
	}
	check.Equal[any](t, envelope["sessionId"], *first.Envelope.SessionID, "in the envelope")
	if envelope["retentionClass"] != "audit" {
		t.Errorf(`in the envelope: envelope["retentionClass"] = %v, want "audit"`, envelope["retentionClass"])
	}
	r.Front.Push(Function, r.raw(replayed, map[string]any{"ipHash": nil})).Want(t, 204)
	scores, replays, published = r.found()
	check.Equal(t, scores, 2, "after another")
	check.Equal(t, replays, 2, "after another")
	check.Equal(t, len(published), 2, "after another")
	check.Equal(t, len(r.dead.topics), 0, "given up")
}

func TestHandoffReplayed_otherErrors(t *testing.T) {
	t.Parallel()
	const letters = "bff-consumer.melmastoon.bff.tenant.flow.error_encountered.v1.dlq"
	for _, test := range []struct {
		name string
		code string
		more map[string]any
		dead []string
	}{
		{"another error", "MELMASTOON.PAYMENT.DECLINED", nil, nil},
		{"another error without a filter", replayed, map[string]any{"errorCode": "MELMASTOON.PAYMENT.DECLINED"}, nil},
		{"no handoff", replayed, map[string]any{"handoffId": nil}, []string{letters}},
		{"no fingerprint", replayed, map[string]any{"fingerprintHash": nil}, []string{letters}},
		{"unknown handoff", replayed, map[string]any{"handoffId": id.New[id.Handoff]()}, []string{letters}},
		{"handoff of another tenant", replayed, map[string]any{"tenantId": id.New[id.Tenant]()}, []string{letters}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := open(t)
			r.Front.Push(Function, r.raw(test.code, test.more)).Want(t, 204)
			scores, replays, published := r.found()
			check.Equal(t, scores, 0)
			check.Equal(t, replays, 0)
			check.Equal(t, len(published), 0)
			check.Equal(t, r.dead.topics, test.dead, "given up")
		})
	}
}

func TestFunction_filter(t *testing.T) {
	t.Parallel()
	got := Function.Spec.Filter["ce-errorcode"]
	check.Equal(t, got, "MELMASTOON.BFF.CONSUMER.HANDOFF_REPLAYED")
	check.Equal(t, len(Function.Spec.Filter), 1)
	sub := Function.Subscription("http://x.example")
	check.Equal(t, sub.Attempts, 10)
	check.Equal(t, sub.AckDeadline, 30*time.Second)
}
