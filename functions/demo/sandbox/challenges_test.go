package sandbox_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/testkit/documenttest"
)

func TestChallenges_verify(t *testing.T) {
	t.Parallel()
	e := documenttest.Give(env.Of(nil), &documenttest.Memory{})
	challenges, now := sandbox.OpenChallenges(e), e.Now().Unix()
	for _, step := range []struct {
		name, response string
		want           sandbox.ChallengeOutcome
	}{
		{"solved", fmt.Sprintf("pass.%d.a", now), sandbox.ChallengePassed},
		{"the same again", fmt.Sprintf("pass.%d.a", now), sandbox.ChallengeExpired},
		{"another one", fmt.Sprintf("pass.%d.b", now), sandbox.ChallengePassed},
		{"a minute ago", fmt.Sprintf("pass.%d.c", now-60), sandbox.ChallengePassed},
		{"too late", fmt.Sprintf("pass.%d.d", now-121), sandbox.ChallengeExpired},
		{"in the future", fmt.Sprintf("pass.%d.e", now+300), sandbox.ChallengeFailed},
		{"wrong", "fail", sandbox.ChallengeFailed},
		{"no time", "pass.soon.f", sandbox.ChallengeFailed},
		{"no end", fmt.Sprintf("pass.%d.", now), sandbox.ChallengeFailed},
		{"empty", "", sandbox.ChallengeFailed},
	} { // in order: a response passes once
		got, err := challenges.Verify(t.Context(), step.response)
		if err != nil {
			t.Errorf("%s: %v", step.name, err)
		}
		if got != step.want {
			t.Errorf("%s: got %q, want %q", step.name, got, step.want)
		}
	}
}

func TestChallenges_concurrent(t *testing.T) {
	t.Parallel()
	e := documenttest.Give(env.Of(nil), &documenttest.Memory{})
	challenges, response := sandbox.OpenChallenges(e), fmt.Sprintf("pass.%d.a", time.Now().Unix())
	var passed atomic.Int64
	var work sync.WaitGroup
	for range 20 {
		work.Go(func() {
			if got, err := challenges.Verify(t.Context(), response); err == nil && got == sandbox.ChallengePassed {
				passed.Add(1)
			}
		})
	}
	work.Wait()
	if n := passed.Load(); n != 1 {
		t.Errorf("passed %d times, want once", n)
	}
}
