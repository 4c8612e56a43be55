package handoffreplayed

import (
	"context"
	"slices"
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
	if err != nil {
		r.t.Fatal(err)
	}
	return raw
}

// found is what became of it: how many judgements and replays there are, and the events published.
func (r *fixture) found() (scores, replays int, published []map[string]any) {
	r.t.Helper()
	rows, _ := r.DB.Owner(r.t).Query(r.t.Context(), `
		SELECT payload || jsonb_build_object('envelope', envelope) FROM bff_consumer.outbox
		WHERE subject = 'melmastoon.bff.consumer.bot_suspected.v1' AND parked_reason IS NULL`)
	published, err := pgx.CollectRows(rows, pgx.RowTo[map[string]any])
	if err != nil {
		r.t.Fatal(err)
	}
	err = r.DB.Owner(r.t).QueryRow(r.t.Context(), `
		SELECT (SELECT count(*) FROM bff_consumer.bot_scores), (SELECT sum(replays) FROM bff_consumer.handoff_ledger)`).Scan(&scores, &replays)
	if err != nil {
		r.t.Fatal(err)
	}
	return scores, replays, published
}

func TestHandoffReplayed_recordsScore(t *testing.T) {
	t.Parallel()
	r := open(t)
	first := r.raw(replayed, nil)
	for range 3 { // the same event comes again, under whatever message id
		if a := r.Front.Push(Function, first); a.Status != 204 {
			t.Fatalf("got %d %s", a.Status, a.Body)
		}
	}
	scores, replays, published := r.found()
	if scores != 1 {
		t.Fatalf("scores = %d, want 1", scores)
	}
	if replays != 1 {
		t.Fatalf("replays = %d, want 1", replays)
	}
	if len(published) != 1 {
		t.Fatalf("len(published) = %d, want 1", len(published))
	}
	envelope, _ := published[0]["envelope"].(map[string]any)
	if published[0]["fingerprintHash"] != string(redeemer) {
		t.Errorf(`published[0]["fingerprintHash"] = %v, want %q`, published[0]["fingerprintHash"], string(redeemer))
	}
	if published[0]["ipHash"] != string(address) {
		t.Errorf(`published[0]["ipHash"] = %v, want %q`, published[0]["ipHash"], string(address))
	}
	if published[0]["guestSessionId"] != nil {
		t.Errorf(`published[0]["guestSessionId"] = %v, want nil`, published[0]["guestSessionId"])
	}
	if published[0]["verdict"] != "suspect" {
		t.Errorf(`published[0]["verdict"] = %v, want "suspect"`, published[0]["verdict"])
	}
	if published[0]["actionTaken"] != "none" {
		t.Errorf(`published[0]["actionTaken"] = %v, want "none"`, published[0]["actionTaken"])
	}
	if published[0]["score"] != 0.5 {
		t.Errorf(`published[0]["score"] = %v, want 0.5`, published[0]["score"])
	}
	if envelope["tenantId"] != nil {
		t.Errorf(`in the envelope: envelope["tenantId"] = %v, want nil`, envelope["tenantId"])
	}
	if envelope["causationId"] != first.Envelope.EventID.String() {
		t.Errorf(`in the envelope: envelope["causationId"] = %v, want %q`, envelope["causationId"], first.Envelope.EventID.String())
	}
	if envelope["correlationId"] != "req-1" {
		t.Errorf(`in the envelope: envelope["correlationId"] = %v, want "req-1"`, envelope["correlationId"])
	}
	if envelope["sessionId"] != *first.Envelope.SessionID {
		t.Errorf(`in the envelope: envelope["sessionId"] = %v, want %q`, envelope["sessionId"], *first.Envelope.SessionID)
	}
	if envelope["retentionClass"] != "audit" {
		t.Errorf(`in the envelope: envelope["retentionClass"] = %v, want "audit"`, envelope["retentionClass"])
	}
	if a := r.Front.Push(Function, r.raw(replayed, map[string]any{"ipHash": nil})); a.Status != 204 {
		t.Errorf("another replay, from nowhere known: %d %s", a.Status, a.Body)
	}
	scores, replays, published = r.found()
	if scores != 2 {
		t.Errorf("after another: scores = %d, want 2", scores)
	}
	if replays != 2 {
		t.Errorf("after another: replays = %d, want 2", replays)
	}
	if len(published) != 2 {
		t.Errorf("after another: len(published) = %d, want 2", len(published))
	}
	if len(r.dead.topics) != 0 {
		t.Errorf("given up: %v", r.dead.topics)
	}
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
			if a := r.Front.Push(Function, r.raw(test.code, test.more)); a.Status != 204 {
				t.Errorf("got %d %s", a.Status, a.Body)
			}
			scores, replays, published := r.found()
			if scores != 0 {
				t.Errorf("scores = %d, want 0", scores)
			}
			if replays != 0 {
				t.Errorf("replays = %d, want 0", replays)
			}
			if len(published) != 0 {
				t.Errorf("len(published) = %d, want 0", len(published))
			}
			if !slices.Equal(r.dead.topics, test.dead) {
				t.Errorf("given up %v, want %v", r.dead.topics, test.dead)
			}
		})
	}
}

func TestFunction_filter(t *testing.T) {
	t.Parallel()
	got := Function.Spec.Filter["ce-errorcode"]
	if got != "MELMASTOON.BFF.CONSUMER.HANDOFF_REPLAYED" {
		t.Errorf(`got = %q, want "MELMASTOON.BFF.CONSUMER.HANDOFF_REPLAYED"`, got)
	}
	if len(Function.Spec.Filter) != 1 {
		t.Errorf("len(Function.Spec.Filter) = %d, want 1", len(Function.Spec.Filter))
	}
	sub := Function.Subscription("http://x.example")
	if sub.Attempts != 10 {
		t.Errorf("sub.Attempts = %d, want 10", sub.Attempts)
	}
	if sub.AckDeadline != 30*time.Second {
		t.Errorf("sub.AckDeadline = %v, want %v", sub.AckDeadline, 30*time.Second)
	}
}
