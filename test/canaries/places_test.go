package canaries

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/test/system"
)

// A finding is a canary and the place where it was found.
type finding struct{ where, from string }

// allowedPlaces are the only places where canaries may be, each for the named inputs, with the reason. A star stands for any beginning
// or end.
var allowedPlaces = map[finding]string{
	{"bff_tenant_booking.booking_drafts.body guest firstName", "* firstName"}:             redisplayed,
	{"bff_tenant_booking.booking_drafts.body guest lastName", "* lastName"}:               redisplayed,
	{"bff_tenant_booking.booking_drafts.body guest email", "* email"}:                     redisplayed,
	{"bff_tenant_booking.booking_drafts.body guest phone", "* phone"}:                     redisplayed,
	{"bff_tenant_booking.booking_drafts.body guest specialRequests", "* specialRequests"}: redisplayed,
	{"reservation.guests.first_name", "* firstName"}:                                      guestRecord,
	{"reservation.guests.last_name", "* lastName"}:                                        guestRecord,
	{"reservation.guests.email", "* email"}:                                               guestRecord,
	{"reservation.guests.phone", "* phone"}:                                               guestRecord,
	{"reservation.special_requests.free_text", "* specialRequests"}:                       "the hotel must read the guest's request; addresses and numbers are scrubbed",
	{"reservation.special_requests.free_text", "* specialRequest freeText"}:               "the hotel must read the guest's request; addresses and numbers are scrubbed",
	{"bff_consumer.wishlist.note", "* note"}:                                              "the visitor's own words beside a wish are shown to that visitor only",
	{"log httpRequest requestUrl", "* path *"}:                                            requestPath,
	{"the answer *", "* path *"}:                                                          requestPath,
	{"log requestId", "* header X-Request-Id"}:                                            requestID,
	{"the answer *", "* header X-Request-Id"}:                                             requestID,
	{"the header X-Request-Id of *", "* header X-Request-Id"}:                             requestID,
	{"* requestId", "* header X-Request-Id"}:                                              requestID,
	{"* correlationId", "* header X-Request-Id"}:                                          requestID,
	{"bus.messages.attributes ce-correlationid", "* header X-Request-Id"}:                 requestID,
	{"sandbox.tenants.brand_name", "* brandName"}:                                         hotelName,
	{"sandbox.tenants.brand_tagline", "* brandTagline"}:                                   hotelName,
	{"sandbox.intents.return_url", "* returnUrl"}:                                         "a payment provider sends the guest back to the URL as it was given",
}

// messagesOfOthers are the only places for canaries in events of other services.
var messagesOfOthers = map[finding]string{
	{"bus.messages.data payload *", "event *"}: "the message itself, and its dead letter",
}

const (
	redisplayed = "a draft knows its guest until it ends, so that the form can be shown again"
	guestRecord = "who stays is known here and nowhere else"
	requestPath = "the requested path is logged and named in the problem, with addresses and numbers scrubbed; it has room for ids and names of hotels only"
	requestID   = "a caller's id of a request contains no address, and correlates calls and events"
	hotelName   = "the name and the slogan of a hotel are public"
)

// A scanner records the places of canaries.
type scanner struct {
	canaries *canarySet
	seen     map[finding]bool
	also     func(where string, text []byte) // sees each text too
}

func newScanner(a *canarySet) *scanner { return &scanner{canaries: a, seen: map[finding]bool{}} }

// scan notes the canaries in a text.
func (w *scanner) scan(where string, text []byte) {
	if w.also != nil {
		w.also(where, text)
	}
	for _, from := range w.canaries.find(text) {
		w.seen[finding{where, from}] = true
	}
}

// unexpected lists the canaries outside of the allowed places, and the allowed places without a canary.
func (w *scanner) unexpected(allowed map[finding]string) (wrong []string) {
	used := map[finding]bool{}
	for s := range w.seen {
		ok := false
		for place := range allowed {
			if like(place.where, s.where) && like(place.from, s.from) {
				ok, used[place] = true, true
			}
		}
		if !ok {
			wrong = append(wrong, fmt.Sprintf("what was typed into %s is in %s", s.from, s.where))
		}
	}
	for place := range allowed {
		if !used[place] {
			wrong = append(wrong, fmt.Sprintf("nothing that was typed into %s is in %s: take it off the list of allowed places", place.from, place.where))
		}
	}
	slices.Sort(wrong)
	return wrong
}

// like reports whether a text has the pattern, in which a star stands for any beginning or end.
func like(pattern, text string) bool {
	begin, anyEnd := strings.CutSuffix(pattern, "*")
	end, anyBegin := strings.CutPrefix(pattern, "*")
	switch {
	case anyBegin && anyEnd:
		return strings.Contains(text, strings.Trim(pattern, "*"))
	case anyEnd:
		return strings.HasPrefix(text, begin)
	case anyBegin:
		return strings.HasSuffix(text, end)
	}
	return text == pattern
}

// scanTables looks through every column of every table. Documents are decoded; their place names the collection.
func (w *scanner) scanTables(t *testing.T, s *system.System) {
	t.Helper()
	conn := s.DB.Owner(t)
	rows, _ := conn.Query(t.Context(), `
		SELECT quote_ident(schemaname) || '.' || quote_ident(tablename) FROM pg_tables
		WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1`)
	names := check.Got(pgx.CollectRows(rows, pgx.RowTo[string])).Must(t)
	for _, name := range names {
		rows, _ := conn.Query(t.Context(), `SELECT to_jsonb(r) FROM `+name+` AS r`)
		var row map[string]json.RawMessage
		check.Got(pgx.ForEachRow(rows, []any{&row}, func() error { w.scanRow(name, row); row = nil; return nil })).Must(t, "%s", name)
	}
}

func (w *scanner) scanRow(table string, row map[string]json.RawMessage) {
	var collection string
	if table == "document.documents" {
		_ = json.Unmarshal(row["collection"], &collection) // a text column
	}
	for column, value := range row {
		where := table + "." + column
		if collection != "" {
			where = "document " + collection + " " + column
		}
		var text string
		if json.Unmarshal(value, &text) == nil && strings.HasPrefix(text, `\x`) { // bytes
			if plain := decode(text); plain != nil {
				value = plain
			}
		}
		w.scanValue(where, value)
	}
}

// scanValue looks through a text; through JSON member by member.
func (w *scanner) scanValue(where string, text []byte) {
	var members map[string]json.RawMessage
	if json.Unmarshal(text, &members) == nil {
		for name, inner := range members {
			w.scan(where, []byte(name))
			w.scanValue(where+" "+name, inner)
		}
		return
	}
	w.scan(where, text)
}

// decode returns bytes without compression, or the JSON of a document.
func decode(text string) []byte {
	raw, err := hex.DecodeString(text[2:])
	if err != nil {
		return nil
	}
	for at := range raw {
		if bytes.HasPrefix(raw[at:], []byte{0x1f, 0x8b}) { // where a gzip begins
			z, err := gzip.NewReader(bytes.NewReader(raw[at:]))
			if err != nil {
				continue
			}
			if plain, err := io.ReadAll(z); err == nil {
				return plain
			}
		}
		if raw[at] == '{' && json.Valid(raw[at:]) {
			return raw[at:]
		}
	}
	return raw
}

// scanLog looks through all lines, member by member.
func (w *scanner) scanLog(t *testing.T, s *system.System) {
	t.Helper()
	lines, lost := s.Log.Take()
	if lost > 0 || len(lines) == 0 {
		t.Errorf("%d lines of the log, %d are lost", len(lines), lost)
	}
	for _, line := range lines {
		w.scanValue("log", line)
	}
}

// scanRefusal looks through a refusal: what is answered to who typed it, when it is taken, is theirs.
func (w *scanner) scanRefusal(route string, a system.Answer) {
	if a.Status >= 400 {
		w.scan(fmt.Sprintf("the answer %d of %s", a.Status, route), a.Body)
		for _, name := range slices.Sorted(maps.Keys(a.Header)) {
			w.scan(fmt.Sprintf("the header %s of %s", name, route), []byte(strings.Join(a.Header[name], "\n")))
		}
	}
}

// inBase64 is for the twin: a leak that is not plain to see.
func inBase64(text string) string {
	return base64.StdEncoding.EncodeToString([]byte("..." + text + "..."))
}
