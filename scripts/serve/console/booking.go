package console

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/jobs/timeline/booking"
)

// kinds are the names of the kinds of moments on the page.
var kinds = map[booking.Kind]string{booking.Call: "call", booking.Row: "row", booking.Published: "published", booking.Consumed: "consumed",
	booking.Pending: "pending", booking.DeadLettered: "dead letter"}

// A moment is one moment of a timeline, with its place in the drawing.
type moment struct {
	booking.Moment
	Number  int // counted from 1, like Because
	Kind    string
	Class   string // in the style sheet
	Because int    // the number of the cause; 0 if unknown
	Effects []int
	Since   time.Duration // since the previous moment
	X, Y    int
	Path    string // of the line from the cause
}

// A lane is one service in the drawing.
type lane struct {
	Name string
	Y    int
}

// bookingView is the content of the page of one booking.
type bookingView struct {
	Name          string // as asked
	Unknown       string
	State, About  []string
	Moments       []moment
	Lanes         []lane
	Width, Height int
	Last          []code // reservations, latest first
}

// A code is a reservation that the page offers.
type code struct {
	Code, State string
	Created     time.Time
}

func (c *Console) booking(r *http.Request) (any, error) {
	v := bookingView{Name: strings.TrimSpace(r.URL.Query().Get("id"))}
	err := c.rows(r.Context(), func(ctx context.Context, conn *pgx.Conn) error {
		rows, _ := conn.Query(ctx, `SELECT code, state, created_at FROM reservation.reservations ORDER BY created_at DESC LIMIT 20`)
		var err error
		if v.Last, err = pgx.CollectRows(rows, pgx.RowToStructByPos[code]); err != nil || v.Name == "" {
			return err
		}
		return c.timeline(ctx, conn, &v)
	})
	if errors.Is(err, booking.ErrUnknown) || errors.Is(err, booking.ErrNoBooking) {
		v.Unknown, err = err.Error(), nil
	}
	return v, err
}

func (c *Console) timeline(ctx context.Context, conn *pgx.Conn, v *bookingView) error {
	if c.Log == nil {
		story, err := booking.Of(ctx, booking.Owner{Conn: conn}, nil, v.Name)
		v.draw(story)
		return err
	}
	log, err := c.Log()
	if err != nil {
		return err
	}
	story, err := booking.Of(ctx, booking.Owner{Conn: conn}, booking.Whole(log), v.Name)
	v.draw(story)
	return errors.Join(err, log.Close())
}

// Measures of the drawing, in pixels.
const (
	laneHeight  = 56
	labelWidth  = 120
	minStep     = 12 // between two moments at the same time
	scaleOfStep = 16 // for each power of ten of the milliseconds between two moments
)

// draw places the moments: a lane for each service, and distances that grow with the logarithm of the time between moments,
// because a guest thinks for minutes and a call takes milliseconds.
func (v *bookingView) draw(story booking.Timeline) {
	v.State, v.About = story.State, story.About
	x := labelWidth
	for i, m := range story.Moments {
		one := moment{Moment: m, Number: i + 1, Kind: kinds[m.Kind], Class: string(m.Kind), Because: m.Cause + 1}
		if i > 0 {
			one.Since = m.At.Sub(story.Moments[i-1].At)
			x += minStep + int(scaleOfStep*math.Log10(1+float64(one.Since.Milliseconds())))
		}
		at := slices.IndexFunc(v.Lanes, func(l lane) bool { return l.Name == m.Service })
		if at < 0 {
			at = len(v.Lanes)
			v.Lanes = append(v.Lanes, lane{m.Service, laneHeight*at + laneHeight/2})
		}
		one.X, one.Y = x, v.Lanes[at].Y
		v.Moments = append(v.Moments, one)
	}
	for i := range v.Moments {
		m := &v.Moments[i]
		if m.Because == 0 {
			continue
		}
		cause := &v.Moments[m.Because-1]
		cause.Effects = append(cause.Effects, m.Number)
		bend := (m.X - cause.X) / 2
		m.Path = fmt.Sprintf("M%d %dC%d %d %d %d %d %d", cause.X, cause.Y, cause.X+bend, cause.Y-laneHeight/3, m.X-bend, m.Y-laneHeight/3, m.X, m.Y)
	}
	v.Width, v.Height = x+laneHeight, laneHeight*len(v.Lanes)
}
