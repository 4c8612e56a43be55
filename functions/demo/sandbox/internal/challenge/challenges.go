// Package challenge stands in for the provider of a captcha.
package challenge

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
)

// An Outcome is the result of verifying the response to a challenge.
type Outcome string

// The outcomes.
const (
	Passed  Outcome = "passed"
	Failed  Outcome = "failed"
	Expired Outcome = "expired" // too old, or verified before
)

// Challenges verifies responses to challenges, as the provider of a captcha does. A response that passes has the form
// pass.SECONDS.ANYTHING, where SECONDS is the Unix time at which it was solved. It passes once, within two minutes. Every other
// response has failed.
type Challenges struct {
	used document.Collection[usedResponse]
	now  func() time.Time
}

type usedResponse struct {
	At time.Time `json:"at"`
}

// responseLife is the time within which a response must be verified.
const responseLife = 2 * time.Minute

// Open opens the store of verified responses.
func Open(e env.Env) Challenges {
	return Challenges{document.Open[usedResponse](e, "sandbox-challenges"), e.Now}
}

// Verify returns the outcome of a response.
func (c Challenges) Verify(ctx context.Context, response string) (Outcome, error) {
	solved, ok := solvedAt(response)
	now := c.now()
	switch age := now.Sub(solved); {
	case !ok, age < -responseLife:
		return Failed, nil
	case age > responseLife:
		return Expired, nil
	}
	first, err := c.used.Create(ctx, document.KeyOf(response), usedResponse{now}, now.Add(3*responseLife))
	switch {
	case err != nil:
		return "", fmt.Errorf("challenges: verify: %w", err)
	case !first:
		return Expired, nil
	}
	return Passed, nil
}

// solvedAt returns the time in a response that passes.
func solvedAt(response string) (time.Time, bool) {
	parts := strings.SplitN(response, ".", 3)
	if len(parts) != 3 || parts[0] != "pass" || parts[2] == "" {
		return time.Time{}, false
	}
	seconds, err := strconv.ParseInt(parts[1], 10, 64)
	return time.Unix(seconds, 0), err == nil
}
