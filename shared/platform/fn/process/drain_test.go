package process

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"melmastoon.ghasi.io/shared/testkit/check"
)

func TestDrain_waitsForCallsInFlight(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		i := &Instance{handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { time.Sleep(3 * time.Second) })}
		call := func() { i.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil)) }
		go call()
		synctest.Wait()
		began := time.Now()
		go func() { // one more comes while the drain waits
			time.Sleep(time.Second)
			call()
		}()
		err := i.drain(t.Context())
		if waited := time.Since(began).Truncate(2 * pollTime); err != nil || waited != 4*time.Second {
			t.Errorf("drain() = %v after %v, want nil at the last call's end after 4s", err, waited)
		}
		check.NoError(t, i.drain(t.Context()), "idle")
	})
}

func TestDrain_contextEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		i := &Instance{handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { time.Sleep(time.Minute) })}
		go i.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil))
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), 9*time.Second)
		defer cancel()
		check.Error(t, i.drain(ctx), context.DeadlineExceeded)
		time.Sleep(time.Minute)
	})
}
