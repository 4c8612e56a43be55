package cloud

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/robfig/cron/v3"

	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/identity"
)

// look is how often the schedules are checked. The clock can be moved, so a timer until the next run would be wrong.
const look = 250 * time.Millisecond

// keepSchedules calls each scheduled function at its times, at least once and never concurrently with itself.
func (c *Cloud) keepSchedules(ctx context.Context) error {
	next := map[string]time.Time{}
	ticker := time.NewTicker(look)
	defer ticker.Stop()
	for {
		for _, f := range c.functions {
			if err := c.keep(ctx, f, next); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		}
	}
}

func (c *Cloud) keep(ctx context.Context, f fn.Function, next map[string]time.Time) error {
	if f.Spec.Schedule == "" {
		return nil
	}
	schedule, err := cron.ParseStandard(f.Spec.Schedule)
	if err != nil {
		return fmt.Errorf("cloud: schedule of %s: %w", f.Spec.Name, err)
	}
	now := c.env.Now()
	due, known := next[f.Spec.Name]
	if known && now.Before(due) {
		return nil
	}
	next[f.Spec.Name] = schedule.Next(now)
	// The function logs a failed tick. As with the real scheduler, the next tick is its retry.
	_ = c.Tick(ctx, f.Spec.Name)
	return nil
}

// Tick calls a scheduled function as the scheduler does, and returns an error unless the status is 2xx.
func (c *Cloud) Tick(ctx context.Context, name string) error {
	service, _, _ := strings.Cut(name, "-")
	token, err := c.issuer.Token(ctx, identity.Audience(service))
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url+"/internal/ticks/"+name, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		return err
	}
	if res.StatusCode/100 != 2 {
		return fmt.Errorf("cloud: tick of %s: got status %s", name, res.Status)
	}
	return nil
}
