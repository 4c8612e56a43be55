package sweepsessions_test

import (
	"fmt"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/consumer/consumertest"
	"melmastoon.ghasi.io/functions/consumer/readsession"
	"melmastoon.ghasi.io/functions/consumer/sweepsessions"
)

func TestSweep_failingSession(t *testing.T) {
	t.Parallel()
	const month = 30 * 24 * time.Hour
	site := consumertest.Open(t, readsession.Function, sweepsessions.Function)
	come := func() *consumertest.Traveller {
		v := site.Traveller()
		v.Must(200, "GET", "/session", nil)
		site.DB.Advance(time.Second) // each is due after the one before
		return v
	}
	ended := func(when string, want int) {
		t.Helper()
		if a := site.Front.Tick(sweepsessions.Function); a.Status != 500 {
			t.Errorf("%s the sweep answered %d: it does not say that one could not be ended", when, a.Status)
		}
		site.CheckPublished("session.ended", want)
	}
	stuck := come()
	come()
	come()
	owner := site.DB.Owner(t)
	if _, err := owner.Exec(t.Context(), fmt.Sprintf(`ALTER TABLE bff_consumer.guest_sessions
		ADD CONSTRAINT stuck CHECK (ended_at IS NULL OR guest_session_id <> '%x')`, stuck.Session[:])); err != nil {
		t.Fatal(err)
	}
	site.DB.Advance(month)
	ended("at first", 2)
	come()
	site.DB.Advance(month)
	ended("a month later", 3)
	if _, err := owner.Exec(t.Context(), `ALTER TABLE bff_consumer.guest_sessions DROP CONSTRAINT stuck`); err != nil {
		t.Fatal(err)
	}
	if a := site.Front.Tick(sweepsessions.Function); a.Status != 204 {
		t.Errorf("when nothing is stuck any more the sweep answered %d: %s", a.Status, a.Body)
	}
	site.CheckPublished("session.ended", 4)
}
