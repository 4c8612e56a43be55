package canaries

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/test/system"
)

// allowedPlaces are the only places where what a guest typed may be, each with the reason.
var allowedPlaces = map[string]string{
	"bff_tenant_booking.booking_drafts.body guest firstName":       redisplayed,
	"bff_tenant_booking.booking_drafts.body guest lastName":        redisplayed,
	"bff_tenant_booking.booking_drafts.body guest email":           redisplayed,
	"bff_tenant_booking.booking_drafts.body guest phone":           redisplayed,
	"bff_tenant_booking.booking_drafts.body guest specialRequests": redisplayed,
	"reservation.guests.first_name":                                guestRecord,
	"reservation.guests.last_name":                                 guestRecord,
	"reservation.guests.email":                                     guestRecord,
	"reservation.guests.phone":                                     guestRecord,
	"reservation.special_requests.free_text":                       "the hotel must read what its guest wishes; addresses and numbers are taken out",
	"bff_consumer.wishlist.note":                                   "the guest's own words beside a wish; they are shown to that guest alone",
}

const (
	redisplayed = "a draft knows its guest until it ends, so that the form can be shown again"
	guestRecord = "who stays is known here and nowhere else"
)

// A finding is a canary and the place where it was found.
type finding struct{ where, from string }

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
func (w *scanner) unexpected(allowed map[string]string) (wrong []string) {
	used := map[string]bool{}
	for s := range w.seen {
		if _, home := allowed[s.where]; home {
			used[s.where] = true
			continue
		}
		wrong = append(wrong, fmt.Sprintf("what was typed into %s is in %s", s.from, s.where))
	}
	for where := range allowed {
		if !used[where] {
			wrong = append(wrong, fmt.Sprintf("nothing that was typed is in %s: take it off the list of allowed places", where))
		}
	}
	slices.Sort(wrong)
	return wrong
}

// scanTables looks through every column of every table. Documents are decoded; their place names the collection.
func (w *scanner) scanTables(t *testing.T, s *system.System) {
	t.Helper()
	conn := s.DB.Owner(t)
	rows, _ := conn.Query(t.Context(), `
		SELECT quote_ident(schemaname) || '.' || quote_ident(tablename) FROM pg_tables
		WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1`)
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		rows, _ := conn.Query(t.Context(), `SELECT to_jsonb(r) FROM `+name+` AS r`)
		var row map[string]json.RawMessage
		if _, err := pgx.ForEachRow(rows, []any{&row}, func() error { w.scanRow(name, row); row = nil; return nil }); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
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
		w.scanValue(where, value)
		var text string
		if json.Unmarshal(value, &text) == nil && strings.HasPrefix(text, `\x`) { // bytes
			w.scanValue(where, decode(text))
		}
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
			if plain, err := document.Unzip(raw[at:]); err == nil {
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
