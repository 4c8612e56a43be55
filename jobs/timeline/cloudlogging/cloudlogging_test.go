package cloudlogging

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"google.golang.org/api/option"

	"melmastoon.ghasi.io/jobs/timeline/booking"
)

// A fakeAPI answers entries:list with pages of entries and records the filters.
type fakeAPI struct {
	pages   [][]string // of JSON entries
	status  int        // of an error, or 0
	filters []string
}

func (a *fakeAPI) open(t *testing.T) *Log {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			Filter, PageToken, OrderBy string
			ResourceNames              []string
		}
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil || in.OrderBy != "timestamp asc" {
			t.Errorf("%+v, %v, want the entries in the order of their time", in, err)
		}
		if r.URL.Path != "/v2/entries:list" {
			t.Errorf("called %s %s", r.Method, r.URL.Path)
		}
		if strings.Join(in.ResourceNames, " ") != "projects/hotels" {
			t.Errorf("asks for %v, want the project", in.ResourceNames)
		}
		if a.status != 0 {
			w.WriteHeader(a.status)
			return
		}
		page := 0
		if in.PageToken == "" {
			a.filters = append(a.filters, in.Filter)
		} else if _, err := fmt.Sscan(in.PageToken, &page); err != nil {
			t.Error(err)
		}
		next := ""
		if page+1 < len(a.pages) {
			next = fmt.Sprint(page + 1)
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"entries":[%s],"nextPageToken":%q}`, strings.Join(a.pages[page], ","), next)
	}))
	t.Cleanup(server.Close)
	log, err := Open(t.Context(), "hotels", option.WithEndpoint(server.URL), option.WithoutAuthentication())
	if err != nil {
		t.Fatal(err)
	}
	return log
}

const entry = `{"insertId":"1","timestamp":"2026-11-20T12:00:00.5Z","trace":"projects/hotels/traces/4bf92f35","jsonPayload":{"function":"reservation-confirm","requestId":"req_1","attempt":2},` +
	`"httpRequest":{"requestMethod":"POST","requestUrl":"/api/v1/reservations/rsv_1/confirm","status":503,"latency":"0.350s"}}`

// The lines have the form that the functions have written, from all pages.
func TestLines_form(t *testing.T) {
	t.Parallel()
	api := &fakeAPI{pages: [][]string{{entry}, {entry, entry}}}
	lines, err := api.open(t).Lines(t.Context(), booking.Search{Since: time.Date(2026, 11, 20, 11, 0, 0, 0, time.UTC), Paths: []string{"rsv_1"}})
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(lines)
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if len(all) != 3 {
		t.Fatalf("got %d lines, want 3: %s", len(all), text)
	}
	var line struct {
		Time     time.Time `json:"time"`
		Function string    `json:"function"`
		Attempt  int       `json:"attempt"`
		Trace    string    `json:"logging.googleapis.com/trace"`
		HTTP     struct {
			Status  int    `json:"status"`
			Latency string `json:"latency"`
			URL     string `json:"requestUrl"`
		} `json:"httpRequest"`
	}
	if err := json.Unmarshal([]byte(all[2]), &line); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(line.Function, line.Attempt, line.Trace, line.HTTP.Status, line.HTTP.Latency, line.HTTP.URL); got != fmt.Sprint("reservation-confirm", 2, "projects/hotels/traces/4bf92f35", 503, "0.350s", "/api/v1/reservations/rsv_1/confirm") {
		t.Errorf("got %s", got)
	}
	if got := line.Time.Format(time.RFC3339Nano); got != "2026-11-20T12:00:00.5Z" {
		t.Errorf("time = %s", got)
	}
}

// Each kind of id has its own filter, with at most a hundred ids.
func TestLines_filters(t *testing.T) {
	t.Parallel()
	api := &fakeAPI{pages: [][]string{{}}}
	var events []string
	for n := range 101 {
		events = append(events, fmt.Sprint("evt_", n))
	}
	since := time.Date(2026, 11, 20, 11, 0, 0, 0, time.UTC)
	_, err := api.open(t).Lines(t.Context(), booking.Search{Since: since, Paths: []string{"rsv_1", "bdr_1"}, Events: events, Requests: []string{`a"b`}, Traces: []string{"4bf9"}})
	if err != nil {
		t.Fatal(err)
	}
	const begin = `resource.type="cloud_run_revision" AND jsonPayload.function:* AND timestamp>="2026-11-20T11:00:00Z" AND `
	want := []string{`httpRequest.requestUrl:("rsv_1" OR "bdr_1")`, `jsonPayload.eventId=("evt_0" OR `, `jsonPayload.eventId=("evt_100")`, `jsonPayload.requestId=("a\"b")`, `trace=("projects/hotels/traces/4bf9")`}
	if len(api.filters) != len(want) {
		t.Fatalf("got the filters %q, want %d", api.filters, len(want))
	}
	for i, filter := range api.filters {
		if !strings.HasPrefix(filter, begin+want[i]) || len(filter) > 20_000 {
			t.Errorf("filter = %s, want %s%s", filter, begin, want[i])
		}
	}
}

func TestLines_errors(t *testing.T) {
	t.Parallel()
	var many []string
	for range maxLines + 1 {
		many = append(many, `{"insertId":"1"}`)
	}
	for _, test := range []struct {
		name string
		api  *fakeAPI
		says string
	}{
		{"forbidden", &fakeAPI{status: http.StatusForbidden}, "403"},
		{"too many", &fakeAPI{pages: [][]string{many}}, "more than 20000 lines"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if _, err := test.api.open(t).Lines(t.Context(), booking.Search{Paths: []string{"rsv_1"}}); err == nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("error = %v, want %q in it", err, test.says)
			}
		})
	}
}
