package booking

import (
	"errors"
	"slices"
	"testing"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/contract"
)

// aRequest returns a special request of staff.
func aRequest() SpecialRequest {
	return SpecialRequest{
		ID: id.New[id.SpecialRequest](), Tags: []Tag{"cot", "quiet_room"}, FreeText: "Two cots.", Locale: "en", Source: FromStaff,
		AddedBy: access.Actor{Type: access.Staff, ID: "usr_desk"},
	}
}

func TestSpecialRequest_validate(t *testing.T) {
	t.Parallel()
	parsed := func(q *SpecialRequest) {
		q.Source, q.Provenance = FromParser, &Provenance{Model: "wishes", Version: "4", Confidence: 0.8}
	}
	for _, test := range []struct {
		name   string
		change func(*SpecialRequest)
		want   string // pointer of the violation
	}{
		{"staff", func(*SpecialRequest) {}, ""},
		{"parser", parsed, ""},
		{"ten_tags", func(q *SpecialRequest) { q.Tags = tags[:10] }, ""},
		{"no_tag", func(q *SpecialRequest) { q.Tags = nil }, "/tags"},
		{"eleven_tags", func(q *SpecialRequest) { q.Tags = tags[:11] }, "/tags"},
		{"repeated_tag", func(q *SpecialRequest) { q.Tags = []Tag{"cot", "cot"} }, "/tags"},
		{"500_characters", func(q *SpecialRequest) { q.FreeText = Text(string(slices.Repeat([]rune("ک"), 500))) }, ""},
		{"501_characters", func(q *SpecialRequest) { q.FreeText = Text(string(slices.Repeat([]rune("ک"), 501))) }, "/freeText"},
		{"parser_without_provenance", func(q *SpecialRequest) { q.Source = FromParser }, "/aiProvenance"},
		{"guest_with_provenance", func(q *SpecialRequest) { parsed(q); q.Source = FromGuest }, "/aiProvenance"},
		{"confidence", func(q *SpecialRequest) { parsed(q); q.Provenance.Confidence = 1.01 }, "/aiProvenance/confidence"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			q := aRequest()
			test.change(&q)
			err := q.Validate()
			if (err == nil) != (test.want == "") {
				t.Fatalf("Validate() error = %v, want a violation of %q", err, test.want)
			}
			if err != nil && fault.From(err).Violations[0].Pointer != test.want {
				t.Errorf("Validate() violations = %v, want %q", fault.From(err).Violations, test.want)
			}
		})
	}
}

func TestAsk_states(t *testing.T) {
	t.Parallel()
	for state, want := range map[State]error{
		Held: nil, Confirmed: nil, CheckInStarted: nil, CheckedIn: nil, CheckoutStarted: nil,
		CheckedOut: ErrIllegalTransition, Cancelled: ErrIllegalTransition, NoShow: ErrIllegalTransition, ExpiredHold: ErrHoldExpired,
	} {
		t.Run(string(state), func(t *testing.T) {
			t.Parallel()
			r := confirmedOne(t)
			r.State, r.AsOf = state, r.Hold.PlacedAt
			before := r.Version
			added, err := r.Ask(aRequest())
			if !errors.Is(err, want) {
				t.Errorf("Ask() error = %v, want %v", err, want)
			}
			if added != (want == nil) {
				t.Errorf("Ask() = %t, want %t", added, want == nil)
			}
			if changed := r.Version != before; changed != (want == nil) {
				t.Errorf("version changed: %t, want %t", changed, want == nil)
			}
		})
	}
}

func TestAsk_repeated(t *testing.T) {
	t.Parallel()
	r, q := confirmedOne(t), aRequest()
	if added, err := r.Ask(q); !added || err != nil {
		t.Fatalf("Ask() = %t, %v, want it added", added, err)
	}
	version := r.Version
	if added, err := r.Ask(q); added || err != nil {
		t.Errorf("Ask() again = %t, %v, want nothing added", added, err)
	}
	if len(r.Requests) != 1 || r.Version != version {
		t.Errorf("%d requests in version %d, want 1 in version %d", len(r.Requests), r.Version, version)
	}
}

func TestAsk_limit(t *testing.T) {
	t.Parallel()
	r := confirmedOne(t)
	for range maxSpecialRequests {
		if _, err := r.Ask(aRequest()); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := r.Ask(aRequest()); !errors.Is(err, ErrTooManyRequests) {
		t.Errorf("Ask() error = %v, want %v", err, ErrTooManyRequests)
	}
}

func TestRequestAdded_schema(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*SpecialRequest){
		"staff":        func(*SpecialRequest) {},
		"without_text": func(q *SpecialRequest) { q.FreeText = "" },
		"parser": func(q *SpecialRequest) {
			q.Source, q.Provenance = FromParser, &Provenance{Model: "wishes", Version: "4", Confidence: 0.8}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, q := confirmedOne(t), aRequest()
			change(&q)
			if _, err := r.Ask(q); err != nil {
				t.Fatal(err)
			}
			raw, err := RequestAdded(r).Seal(noon, event.Origin{})
			if err != nil {
				t.Fatal(err)
			}
			if err := contract.ValidateOutgoing(RequestAddedV1.Name, raw.Payload); err != nil {
				t.Errorf("ValidateOutgoing(%s) = %v", raw.Payload, err)
			}
		})
	}
}

// TestRequestAdded_guestWords publishes requests that contain a name. The words of a guest stay in the reservation, also those that
// belong to the guest details.
func TestRequestAdded_guestWords(t *testing.T) {
	t.Parallel()
	const words = "A cot for Zarghona Ahmadi."
	parsed := aRequest()
	parsed.Source, parsed.Provenance = FromParser, &Provenance{Model: "wishes", Version: "4", Confidence: 0.8}
	guest := aRequest()
	guest.Source, guest.AddedBy = FromGuest, access.Actor{Type: access.Guest, ID: "gst_1"}
	for _, test := range []struct {
		name string
		ask  func(*Reservation) bool
		want string // text in the event
	}{
		{"guest", func(r *Reservation) bool { return asks(r, guest, words) }, ""},
		{"guest_details", func(r *Reservation) bool { _, asked := r.askWithDetails(words, "en"); return asked }, ""},
		{"staff", func(r *Reservation) bool { return asks(r, aRequest(), words) }, words},
		{"parser", func(r *Reservation) bool { return asks(r, parsed, words) }, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := confirmedOne(t)
			if !test.ask(r) {
				t.Fatal("the request is not added")
			}
			raw, err := RequestAdded(r).Seal(noon, event.Origin{})
			if err != nil {
				t.Fatal(err)
			}
			var published struct {
				FreeText string `json:"freeText"`
			}
			if err := json.Unmarshal(raw.Payload, &published); err != nil {
				t.Fatal(err)
			}
			if published.FreeText != test.want {
				t.Errorf("the event has the text %q, want %q: %s", published.FreeText, test.want, raw.Payload)
			}
			if got := string(r.Requests[0].FreeText); got != words {
				t.Errorf("the reservation keeps %q, want %q", got, words)
			}
		})
	}
}

// asks reports whether a request with that text is added.
func asks(r *Reservation, q SpecialRequest, text string) bool {
	q.FreeText = Text(text)
	added, err := r.Ask(q)
	return added && err == nil
}
