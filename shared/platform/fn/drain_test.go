package fn_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"melmastoon.ghasi.io/shared/platform/fn"
)

func TestDrain_waitsForCallsInFlight(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var d fn.Drain
		h := d.Count(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { time.Sleep(3 * time.Second) }))
		call := func() { h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil)) }
		go call()
		synctest.Wait()
		began := time.Now()
		go func() { // one more comes while the drain waits
			time.Sleep(time.Second)
			call()
		}()
		if err := d.Wait(t.Context()); err != nil || time.Since(began) != 4*time.Second {
			t.Errorf("got %v after %v, want the last call's end after 4s", err, time.Since(began))
		}
		if err := d.Wait(t.Context()); err != nil {
			t.Errorf("idle: got %v", err)
		}
	})
}

func TestDrain_contextEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var d fn.Drain
		h := d.Count(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { time.Sleep(time.Minute) }))
		go h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil))
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), 9*time.Second)
		defer cancel()
		if err := d.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		time.Sleep(time.Minute)
	})
}
