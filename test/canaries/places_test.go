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

// homes are the only places where what a guest typed may be, each with the reason.
var homes = map[string]string{
	"bff_tenant_booking.booking_drafts.body guest firstName":       shownAgain,
	"bff_tenant_booking.booking_drafts.body guest lastName":        shownAgain,
	"bff_tenant_booking.booking_drafts.body guest email":           shownAgain,
	"bff_tenant_booking.booking_drafts.body guest phone":           shownAgain,
	"bff_tenant_booking.booking_drafts.body guest specialRequests": shownAgain,
	"reservation.guests.first_name":                                whoStays,
	"reservation.guests.last_name":                                 whoStays,
	"reservation.guests.email":                                     whoStays,
	"reservation.guests.phone":                                     whoStays,
	"reservation.special_requests.free_text":                       "the hotel must read what its guest wishes; addresses and numbers are taken out",
	"bff_consumer.wishlist.note":                                   "the guest's own words beside a wish; they are shown to that guest alone",
}

const (
	shownAgain = "a draft knows its guest until it ends, so that the form can be shown again"
	whoStays   = "who stays is known here and nowhere else"
)

// A sighting is a canary where it was found.
type sighting struct{ where, from string }

// A watch notes where canaries were seen.
type watch struct {
	aviary *aviary
	seen   map[sighting]bool
	also   func(where string, text []byte) // sees each text too
}

func newWatch(a *aviary) *watch { return &watch{aviary: a, seen: map[sighting]bool{}} }

// look notes the canaries in a text.
func (w *watch) look(where string, text []byte) {
	if w.also != nil {
		w.also(where, text)
	}
	for _, from := range w.aviary.find(text) {
		w.seen[sighting{where, from}] = true
	}
}

// strays lists the canaries that are where they must not be, and homes in which none was seen.
func (w *watch) strays(homes map[string]string) (wrong []string) {
	used := map[string]bool{}
	for s := range w.seen {
		if _, home := homes[s.where]; home {
			used[s.where] = true
			continue
		}
		wrong = append(wrong, fmt.Sprintf("what was typed into %s is in %s", s.from, s.where))
	}
	for where := range homes {
		if !used[where] {
			wrong = append(wrong, fmt.Sprintf("nothing that was typed is in %s: take it off the list of homes", where))
		}
	}
	slices.Sort(wrong)
	return wrong
}

// tables looks through every column of every table. Documents are opened, and are told by their collection.
func (w *watch) tables(t *testing.T, s *system.System) {
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
		if _, err := pgx.ForEachRow(rows, []any{&row}, func() error { w.row(name, row); row = nil; return nil }); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
}

func (w *watch) row(table string, row map[string]json.RawMessage) {
	var collection string
	if table == "document.documents" {
		_ = json.Unmarshal(row["collection"], &collection) // a text column
	}
	for column, value := range row {
		where := table + "." + column
		if collection != "" {
			where = "document " + collection + " " + column
		}
		w.value(where, value)
		var text string
		if json.Unmarshal(value, &text) == nil && strings.HasPrefix(text, `\x`) { // bytes
			w.value(where, opened(text))
		}
	}
}

// value looks through a text; through JSON member by member.
func (w *watch) value(where string, text []byte) {
	var members map[string]json.RawMessage
	if json.Unmarshal(text, &members) == nil {
		for name, inner := range members {
			w.look(where, []byte(name))
			w.value(where+" "+name, inner)
		}
		return
	}
	w.look(where, text)
}

// opened is what bytes say, without their compression and without what stands before a document's JSON.
func opened(text string) []byte {
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

// log looks through all lines, member by member.
func (w *watch) log(t *testing.T, s *system.System) {
	t.Helper()
	lines, lost := s.Log.Take()
	if lost > 0 || len(lines) == 0 {
		t.Errorf("%d lines of the log, %d are lost", len(lines), lost)
	}
	for _, line := range lines {
		w.value("log", line)
	}
}

// answer looks through a refusal: what is answered to who typed it, when it is taken, is theirs.
func (w *watch) answer(route string, a system.Answer) {
	if a.Status >= 400 {
		w.look(fmt.Sprintf("the answer %d of %s", a.Status, route), a.Body)
		for _, name := range slices.Sorted(maps.Keys(a.Header)) {
			w.look(fmt.Sprintf("the header %s of %s", name, route), []byte(strings.Join(a.Header[name], "\n")))
		}
	}
}

// inBase64 is for the twin: a leak that is not plain to see.
func inBase64(text string) string {
	return base64.StdEncoding.EncodeToString([]byte("..." + text + "..."))
}
