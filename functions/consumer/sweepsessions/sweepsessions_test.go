package sweepsessions_test

import (
	"fmt"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/consumer/consumertest"
	"melmastoon.ghasi.io/functions/consumer/readsession"
	"melmastoon.ghasi.io/functions/consumer/sweepsessions"
	"melmastoon.ghasi.io/shared/testkit/check"
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
		site.Front.Tick(sweepsessions.Function).Want(t, 500)
		site.CheckPublished("session.ended", want)
	}
	stuck := come()
	come()
	come()
	owner := site.DB.Owner(t)
	check.Got(owner.Exec(t.Context(), fmt.Sprintf(`ALTER TABLE bff_consumer.guest_sessions
		ADD CONSTRAINT stuck CHECK (ended_at IS NULL OR guest_session_id <> '%x')`, stuck.Session[:]))).Must(t)
	site.DB.Advance(month)
	ended("at first", 2)
	come()
	site.DB.Advance(month)
	ended("a month later", 3)
	check.Got(owner.Exec(t.Context(), `ALTER TABLE bff_consumer.guest_sessions DROP CONSTRAINT stuck`)).Must(t)
	site.Front.Tick(sweepsessions.Function).Want(t, 204)
	site.CheckPublished("session.ended", 4)
}
