package bots

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/upstream"
)

// An outcome is the result of verifying the response to a challenge.
type outcome string

// The outcomes.
const (
	passed  outcome = "passed"
	failed  outcome = "failed"
	expired outcome = "expired" // too old, or used before: neither proof nor evidence
)

// A verifier asks the challenge service whether the response to a challenge is right.
type verifier interface {
	verify(ctx context.Context, response string) (outcome, error)
}

// A remote verifier calls the challenge service. A response can be verified once, so calls are never repeated.
type remote struct{ client *upstream.Client }

func openVerifier(e env.Env) remote {
	return remote{upstream.Open(e, "challenge", upstream.Policy{Timeout: 400 * time.Millisecond})}
}

// maxResponse is the maximum length of a response in bytes. Providers' tokens have up to two kilobytes.
const maxResponse = 4096

// verify returns the outcome. It returns an error if the service does not say one; a response that the service rejects has failed.
func (r remote) verify(ctx context.Context, response string) (outcome, error) {
	if len(response) > maxResponse || strings.ContainsFunc(response, func(c rune) bool { return c < '!' || c > '~' }) {
		return failed, nil
	}
	in := struct {
		Response string `json:"response"`
	}{response}
	var out struct {
		Outcome outcome `json:"outcome"`
	}
	if err := r.client.Post(ctx, "/verifications", in, &out); err != nil {
		if kind := fault.From(err).Kind; kind == fault.Invalid || kind == fault.Unprocessable {
			return failed, nil
		}
		return "", fmt.Errorf("bots: verify: %w", err)
	}
	switch out.Outcome {
	case passed, failed, expired:
		return out.Outcome, nil
	}
	return "", errors.New("bots: verify: the challenge service named no outcome")
}
