package booking

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestVeil(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, text, want string }{
		{"an address", "no mailbox z.ahmadzai@example.com there", "no mailbox (address) there"},
		{"a telephone number", "cannot call +93 70 012 3456", "cannot call (number)"},
		{"a card", "declined 4111 1111 1111 1111.", "declined (number)."},
		{"an id is shortened", "commit for rsv_01J8KABG000000000000000RSV: no", "commit for rsv_…000RSV: no"},
		{"an id of two words is one", "tnt_session_01J8KABG000000000000000SES", "tnt_session_…000SES"},
		{"an address in the place of an id", "rsv_someone@example.com", "(address)"},
		{"a count stays", "after 12 attempts in 350 ms", "after 12 attempts in 350 ms"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := veil(test.text); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
	if got := short("guest@example.com"); strings.Contains(got, "guest") {
		t.Errorf("a text that is not an id is shown as %q", got)
	}
}

func TestParse_sameAsSQL(t *testing.T) {
	t.Parallel()
	const name = "bdr_01J8KABG000000000000000BDR"
	text, fromText, ok := parse(name)
	if !ok || text != name {
		t.Fatalf("got %q, %t", text, ok)
	}
	uuid := func() string {
		const digits = "0123456789abcdef"
		var b strings.Builder
		for i, c := range fromText {
			if slices.Contains([]int{4, 6, 8, 10}, i) {
				b.WriteByte('-')
			}
			b.WriteByte(digits[c>>4])
			b.WriteByte(digits[c&15])
		}
		return b.String()
	}()
	switch text, fromSQL, ok := parse("bdr:" + uuid); {
	case !ok:
		t.Errorf("ok = false, want true")
	case text != name:
		t.Errorf("text = %v, want %v", text, name)
	case fromSQL != fromText:
		t.Errorf("fromSQL = %v, want %v", fromSQL, fromText)
	}
	for _, bad := range []string{"", "bdr", "bdr_", "bdr_1", "bdr:1", "_01J8KABG000000000000000BDR", "GM-ABC123"} {
		t.Run(fmt.Sprintf("%q", bad), func(t *testing.T) {
			if _, _, ok := parse(bad); ok {
				t.Errorf("%q is parsed as an id", bad)
			}
		})
	}
}

// at returns a moment at that number of milliseconds, with clues.
func at(ms int, kind Kind, service, what string, c clues) Moment {
	t := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC).Add(time.Duration(ms) * time.Millisecond)
	if kind == Call {
		c.ended = t.Add(20 * time.Millisecond)
	}
	return Moment{At: t, Service: service, Kind: kind, What: what, clues: c}
}

func TestInOrder_causesFirst(t *testing.T) {
	t.Parallel()
	got := inOrder([]Moment{
		at(9, Consumed, "reservation", "consumed", clues{event: "e1", function: "reservation-captured"}),
		at(8, Call, "reservation", "push", clues{event: "e1", function: "reservation-captured", request: "r2"}),
		at(6, Published, "sandbox", "captured", clues{event: "e1", request: "r1"}),
		at(5, Row, "sandbox", "row", clues{}),
		at(5, Row, "sandbox", "row", clues{}), // stored in two tables
		at(5, Call, "sandbox", "pay", clues{request: "r1", function: "sandbox-pay"}),
		at(10, Published, "reservation", "confirmed", clues{event: "e2", request: "r2", causation: "e1"}),
		at(7, Published, "tenantbooking", "caused by what comes later", clues{event: "e3", causation: "e2"}),
	})
	var lines []string
	for _, m := range got {
		because := "nothing"
		if m.Cause >= 0 {
			because = got[m.Cause].What
		}
		lines = append(lines, m.What+" by "+because)
	}
	want := []string{"pay by nothing", "row by pay", "captured by pay", "push by captured", "consumed by push", "confirmed by push", "caused by what comes later by confirmed"}
	if !slices.Equal(lines, want) {
		t.Errorf("got  %q\nwant %q", lines, want)
	}
	if circle := inOrder([]Moment{at(1, Published, "a", "one", clues{event: "e1", causation: "e2"}), at(2, Published, "a", "two", clues{event: "e2", causation: "e1"})}); len(circle) != 2 {
		t.Errorf("a cycle has %d moments", len(circle))
	}
}

func TestReadLog_incompleteLine(t *testing.T) {
	t.Parallel()
	calls, err := readLog(strings.NewReader(`{"time":"2026-11-20T12:00:00Z","function":"a-b","httpRequest":{"status":200}}` + "\nno line\n" + `{"time":"2026-11-2`))
	switch {
	case err != nil:
		t.Errorf("err = %v, want nil", err)
	case len(calls) != 1:
		t.Errorf("len(calls) = %v, want 1", len(calls))
	case calls[0].Function != "a-b":
		t.Errorf(`calls[0].Function = %q, want "a-b"`, calls[0].Function)
	case calls[0].HTTP.Status != 200:
		t.Errorf("calls[0].HTTP.Status = %v, want 200", calls[0].HTTP.Status)
	}
}

func TestLoggedCall_early(t *testing.T) {
	t.Parallel()
	c := LoggedCall{Function: "reservation-allocationcommitted", Event: "evt_1", Attempt: 1, Code: "GENERAL.UNAVAILABLE", Cause: "early, retried: GENERAL.RESOURCE_NOT_FOUND"}
	c.HTTP.Status = 503
	if got := c.moment().What; !strings.HasSuffix(got, "early, retried") {
		t.Errorf("got %q, want it to end with early, retried", got)
	}
	c.Attempt = MaxEarly + 1
	if got := c.moment().What; !strings.Contains(got, "because early, retried") {
		t.Errorf("got %q, want the cause of a failure", got)
	}
}
