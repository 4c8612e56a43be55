package console

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/local/setup"
)

// maxMove bounds one move of the clock.
const maxMove = 45 * 24 * time.Hour

// A holdRow is a live hold.
type holdRow struct {
	Code    string
	Expires time.Time
	Left    time.Duration
}

// clockView is the content of the page of the clock.
type clockView struct {
	Steps []string
	Holds []holdRow
	Ticks []functionRow // scheduled functions
}

func (c *Console) clock(r *http.Request) (any, error) {
	v := clockView{Steps: []string{"1m", "11m", "31m", "2h", "24h", "168h"}}
	for _, f := range c.Functions {
		if f.Spec.Schedule != "" {
			v.Ticks = append(v.Ticks, c.row(f))
		}
	}
	now := c.Env.Now()
	err := c.rows(r.Context(), func(ctx context.Context, conn *pgx.Conn) error {
		rows, _ := conn.Query(ctx, `
			SELECT r.code, h.expires_at
			FROM reservation.holds h JOIN reservation.reservations r USING (reservation_id)
			WHERE h.status = 'live' ORDER BY h.expires_at LIMIT 100`)
		var h holdRow
		_, err := pgx.ForEachRow(rows, []any{&h.Code, &h.Expires}, func() error {
			h.Left = h.Expires.Sub(now).Round(time.Second)
			v.Holds = append(v.Holds, h)
			return nil
		})
		return err
	})
	return v, err
}

// move moves the clock of SQL and of Go. It never moves back: leases, tokens and events of the time before would be in the future.
func (c *Console) move(r *http.Request) (string, change, error) {
	by, err := time.ParseDuration(strings.TrimPrefix(strings.TrimSpace(r.PostFormValue("by")), "+"))
	if err != nil || by <= 0 || by > maxMove {
		return "", nil, fmt.Errorf("%w: the clock moves forward by a duration like 31m, by at most %v", errForm, maxMove)
	}
	return "Move the clock by " + by.String(), func(ctx context.Context, out io.Writer) error {
		return c.rows(ctx, func(ctx context.Context, conn *pgx.Conn) error {
			offset, err := setup.MoveClock(ctx, conn, by)
			if err != nil {
				return err
			}
			c.Env.Advance(by)
			_, err = fmt.Fprintf(out, "The clock is %v ahead of real time. Scheduled functions that are due run now.\n", offset)
			return err
		})
	}, nil
}
