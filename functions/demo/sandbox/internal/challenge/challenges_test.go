package challenge_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox/internal/challenge"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/documenttest"
)

func TestChallenges_verify(t *testing.T) {
	t.Parallel()
	e := documenttest.Give(env.Of(nil), &documenttest.Memory{})
	challenges, now := challenge.Open(e), e.Now().Unix()
	for _, step := range []struct {
		name, response string
		want           challenge.Outcome
	}{
		{"solved", fmt.Sprintf("pass.%d.a", now), challenge.Passed},
		{"the same again", fmt.Sprintf("pass.%d.a", now), challenge.Expired},
		{"another one", fmt.Sprintf("pass.%d.b", now), challenge.Passed},
		{"a minute ago", fmt.Sprintf("pass.%d.c", now-60), challenge.Passed},
		{"too late", fmt.Sprintf("pass.%d.d", now-121), challenge.Expired},
		{"in the future", fmt.Sprintf("pass.%d.e", now+300), challenge.Failed},
		{"wrong", "fail", challenge.Failed},
		{"no time", "pass.soon.f", challenge.Failed},
		{"no end", fmt.Sprintf("pass.%d.", now), challenge.Failed},
		{"empty", "", challenge.Failed},
	} { // in order: a response passes once
		got, err := challenges.Verify(t.Context(), step.response)
		check.NoError(t, err, "%s", step.name)
		check.Equal(t, got, step.want, "%s", step.name)
	}
}

func TestChallenges_concurrent(t *testing.T) {
	t.Parallel()
	e := documenttest.Give(env.Of(nil), &documenttest.Memory{})
	challenges, response := challenge.Open(e), fmt.Sprintf("pass.%d.a", time.Now().Unix())
	var passed atomic.Int64
	var work sync.WaitGroup
	for range 20 {
		work.Go(func() {
			if got, err := challenges.Verify(t.Context(), response); err == nil && got == challenge.Passed {
				passed.Add(1)
			}
		})
	}
	work.Wait()
	check.Equal(t, passed.Load(), 1, "passes")
}
