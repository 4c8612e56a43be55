package canaries

import (
	"encoding/hex"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/test/system"
)

// TestCanaries_sabotaged leaks what a guest typed in one way after another, and looks. Each leak is found, with where it is and
// where it came from.
func TestCanaries_sabotaged(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	s.Book(system.Usual())
	s.Quiet()
	a := newCanarySet()
	clean := newScanner(a)
	clean.scanTables(t, s)
	if wrong := clean.unexpected(nil); wrong != nil {
		t.Fatalf("found before anything was typed: %q", wrong)
	}
	owner := s.DB.Owner(t)
	keep := func(collection string, value any) error {
		_, err := document.Open[any](s.Env(), collection).Create(t.Context(), document.KeyOf("x"), value, s.Env().Now().Add(time.Hour))
		return err
	}
	for _, leak := range []struct {
		name, where, from string
		do                func() error
	}{
		{name: "event payload", where: "reservation.outbox.payload primaryGuest email", from: "an event", do: func() error {
			_, err := owner.Exec(t.Context(), `UPDATE reservation.outbox SET payload = payload || jsonb_build_object('primaryGuest', jsonb_build_object('email', $1::text))`, a.email("an event"))
			return err
		}},
		{name: "message in base64", where: "bus.messages.data", from: "somewhere, in base64 or hex", do: func() error {
			_, err := owner.Exec(t.Context(), `INSERT INTO bus.messages (topic, ordering_key, attributes, data) VALUES ('t', '', '{}', $1)`, []byte(inBase64(a.letters("a message"))))
			return err
		}},
		{name: "message attribute", where: "bus.messages.attributes ce-x", from: "an attribute", do: func() error {
			_, err := owner.Exec(t.Context(), `INSERT INTO bus.messages (topic, ordering_key, attributes, data) VALUES ('t', '', jsonb_build_object('ce-x', $1::text), '')`, a.phone("an attribute"))
			return err
		}},
		{name: "compressed document", where: "document sessions value guest", from: "a session", do: func() error {
			return keep("sessions", map[string]string{"guest": a.email("a session"), "filler": strings.Repeat("long enough to be compressed ", 100)})
		}},
		{name: "cache key", where: "document searches id", from: "a search", do: func() error {
			_, err := owner.Exec(t.Context(), `INSERT INTO document.documents (collection, id, value, number, version, expires_at) VALUES ('searches', $1, '', 0, 1, 'infinity')`, "kabul%2F"+a.letters("a search"))
			return err
		}},
		{name: "exact place in a document", where: "document places value lat", from: "a place", do: func() error {
			return keep("places", map[string]json.RawMessage{"lat": json.RawMessage(a.degrees("a place", 34))})
		}},
		{name: "column", where: "reservation.reservations.partner_id", from: "a form", do: func() error {
			_, err := owner.Exec(t.Context(), `UPDATE reservation.reservations SET partner_id = $1`, strings.ToUpper(a.name("a form")))
			return err
		}},
		{name: "card number", where: "sandbox.intents.return_url", from: "a card", do: func() error {
			b := s.Book(system.Usual()).Intend("card")
			_, err := owner.Exec(t.Context(), `UPDATE sandbox.intents SET return_url = $1 WHERE reservation_id IS NOT NULL`, "https://x/?c="+strings.ReplaceAll(a.card("a card"), " ", "-")+b.Code)
			return err
		}},
		{name: "log line", where: "log cause", from: "a cause", do: func() error {
			_, err := s.Log.Write([]byte(`{"function":"x","cause":"no such guest: ` + hex.EncodeToString([]byte("a")) + a.email("a cause") + `"}` + "\n"))
			return err
		}},
	} {
		t.Run(leak.name, func(t *testing.T) {
			check.Must(t, leak.do())
			w := newScanner(a)
			w.scanTables(t, s)
			w.scanLog(t, s)
			want := "what was typed into " + leak.from + " is in " + leak.where
			if wrong := w.unexpected(nil); !slices.Contains(wrong, want) {
				t.Errorf("found %q, want %q among them", wrong, want)
			}
			_, _ = s.Log.Write([]byte(`{"function":"x"}` + "\n"))
		})
	}
	w := newScanner(a)
	w.scanRefusal("GET /x", system.Answer{Status: http.StatusBadRequest, Header: http.Header{"Location": {"/?e=" + a.letters("a header")}}, Body: []byte(`{"detail":"` + a.email("a body") + `"}`)})
	w.scanRefusal("GET /y", system.Answer{Status: http.StatusOK, Body: []byte(a.email("their own answer"))})
	want := []string{"nothing that was typed into * c is in a.b: take it off the list of allowed places", "what was typed into a body is in the answer 400 of GET /x", "what was typed into a header is in the header Location of GET /x"}
	check.Equal(t, w.unexpected(map[finding]string{{"a.b", "* c"}: "stale"}), want, "refusals")
}
