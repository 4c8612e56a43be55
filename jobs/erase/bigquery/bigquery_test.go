package bigquery

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/api/option"

	"melmastoon.ghasi.io/jobs/erase"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// A fake answers requests to BigQuery in order and keeps them.
type fake struct {
	t       *testing.T
	answers []string // each: status, a space, body

	mu       sync.Mutex
	requests []string // method, path with query, and body
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	f.requests = append(f.requests, r.Method+" "+r.URL.RequestURI()+" "+string(body))
	if len(f.requests) > len(f.answers) {
		f.t.Errorf("unexpected request %s", f.requests[len(f.requests)-1])
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	status, answer, _ := strings.Cut(f.answers[len(f.requests)-1], " ")
	w.Header().Set("Content-Type", "application/json")
	if status != "200" {
		w.WriteHeader(http.StatusForbidden)
	}
	_, _ = io.WriteString(w, answer)
}

func open(t *testing.T, answers ...string) (*Dataset, *fake) {
	t.Helper()
	f := &fake{t: t, answers: answers}
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	return check.Got(Open(t.Context(), "my-project.telemetry", option.WithEndpoint(server.URL), option.WithoutAuthentication())).Must(t), f
}

// sent returns the body of a query request, which must be a POST to the project's queries.
func (f *fake) sent(t *testing.T, n int) (request map[string]any) {
	t.Helper()
	rest, ok := strings.CutPrefix(f.requests[n], "POST /projects/my-project/queries?")
	if !ok {
		t.Fatalf("request %d is %s", n, f.requests[n])
	}
	_, body, _ := strings.Cut(rest, " ")
	check.Must(t, json.Unmarshal([]byte(body), &request))
	return request
}

const clicks = "click_recorded"

// parameter returns an array with one value.
func parameter(name, value string) map[string]any {
	return map[string]any{
		"name":           name,
		"parameterType":  map[string]any{"type": "ARRAY", "arrayType": map[string]any{"type": "STRING"}},
		"parameterValue": map[string]any{"arrayValues": []any{map[string]any{"value": value}}},
	}
}

func newID() string { return id.New[id.GuestSession]().String() }

const job = `"jobReference":{"projectId":"my-project","jobId":"job_1","location":"me-central1"}`

func TestDelete_request(t *testing.T) {
	t.Parallel()
	d, f := open(t, `200 {`+job+`,"jobComplete":true,"numDmlAffectedRows":"3"}`)
	one, other := newID(), newID()
	check.Must(t, d.Delete(t.Context(), clicks, erase.IDs{"sessionId": {other}, "draftId": {one}}))
	want := map[string]any{
		"query":           "DELETE FROM `my-project.telemetry.click_recorded` WHERE (draftId IN UNNEST(@draftId) OR sessionId IN UNNEST(@sessionId)) AND retentionClass <> 'regulated'",
		"useLegacySql":    false,
		"parameterMode":   "NAMED",
		"timeoutMs":       20000.0,
		"queryParameters": []any{parameter("draftId", one), parameter("sessionId", other)},
	}
	check.Equal(t, cmp.Diff(want, f.sent(t, 0)), "", "the request differs")
}

// TestDelete_waits lets the job run on after the first answer.
func TestDelete_waits(t *testing.T) {
	t.Parallel()
	d, f := open(t, `200 {`+job+`,"jobComplete":false}`, `200 {`+job+`,"jobComplete":false}`, `200 {`+job+`,"jobComplete":true,"numDmlAffectedRows":"3"}`)
	check.Must(t, d.Delete(t.Context(), clicks, erase.IDs{"guestSessionId": {newID()}}))
	check.MustEqual(t, len(f.requests), 3, "requests")
	for _, r := range f.requests[1:] {
		if !strings.HasPrefix(r, "GET /projects/my-project/queries/job_1?") || !strings.Contains(r, "location=me-central1") {
			t.Errorf("request = %s, want the results of job_1", r)
		}
	}
}

func TestDelete_fails(t *testing.T) {
	t.Parallel()
	denied := `403 {"error":{"code":403,"message":"Access Denied","errors":[{"reason":"accessDenied"}]}}`
	for name, answers := range map[string][]string{
		"refused":       {denied},
		"fails_later":   {`200 {` + job + `,"jobComplete":false}`, denied},
		"without_a_job": {`200 {"jobComplete":true}`},
		"not_json":      {`200 <html>`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, _ := open(t, answers...)
			check.Fails(t, d.Delete(t.Context(), clicks, erase.IDs{"guestSessionId": {newID()}}), "deletion")
		})
	}
}

// columns returns a row of an answer for each column of a table.
func columns(table string, names ...string) string {
	var rows []string
	for _, name := range names {
		rows = append(rows, `{"f":[{"v":"`+table+`"},{"v":"`+name+`"}]}`)
	}
	return strings.Join(rows, ",")
}

func TestTables(t *testing.T) {
	t.Parallel()
	d, f := open(t, `200 {`+job+`,"jobComplete":true,"pageToken":"more","rows":[`+columns("click_recorded", "guestSessionId", "retentionClass")+`]}`,
		`200 {`+job+`,"jobComplete":true,"rows":[`+columns("draft_created", "draftId", "retentionClass", "sessionId")+`,`+columns("other", "retentionClass")+`]}`)
	got, err := d.Tables(t.Context())
	want := []erase.Table{{Name: clicks, Columns: []string{"guestSessionId"}}, {Name: "draft_created", Columns: []string{"draftId", "sessionId"}}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("Tables() = %q, %v", got, err)
	}
	statement := f.sent(t, 0)["query"].(string)
	check.Contains(t, statement, "`my-project.telemetry`.INFORMATION_SCHEMA.COLUMNS", "column_name IN UNNEST(@columns)", "table_type = 'BASE TABLE'")
	check.MustEqual(t, len(f.requests), 2)
	check.Contains(t, f.requests[1], "pageToken=more")
}

func TestTables_refused(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ rows, says string }{
		"none":           {"", "has no table"},
		"no_ids":         {columns("clicks", "retentionClass"), "has no table"},
		"injection":      {columns("x` WHERE true; --", "draftId"), "with the name"},
		"another_column": {columns("clicks", "true; --"), "with the name"},
		"unclassified":   {columns("bookings", "reservationId") + "," + columns("clicks", "draftId", "retentionClass"), "telemetry.bookings has ids and no column retentionClass"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, _ := open(t, `200 {`+job+`,"jobComplete":true,"rows":[`+test.rows+`]}`)
			if got, err := d.Tables(t.Context()); err == nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("Tables() = %q, %v, want an error with %q", got, err, test.says)
			}
		})
	}
}

func TestCount(t *testing.T) {
	t.Parallel()
	d, f := open(t, `200 {`+job+`,"jobComplete":true,"rows":[{"f":[{"v":"7"}]}]}`)
	got, err := d.Count(t.Context(), clicks, erase.IDs{"reservationId": {newID()}, "draftId": {newID()}})
	check.Must(t, err)
	check.Equal(t, got, 7)
	const want = "SELECT COUNT(*) FROM `my-project.telemetry.click_recorded` WHERE (draftId IN UNNEST(@draftId) OR reservationId IN UNNEST(@reservationId)) AND retentionClass <> 'regulated'"
	if f.sent(t, 0)["query"] != want {
		t.Errorf("query = %v, want %s", f.sent(t, 0)["query"], want)
	}
	for _, row := range []string{``, `{"f":[{"v":"many"}]}`, `{"f":[{"v":"7"},{"v":"8"}]}`} {
		t.Run(row, func(t *testing.T) {
			d, _ := open(t, `200 {`+job+`,"jobComplete":true,"rows":[`+row+`]}`)
			if got, err := d.Count(t.Context(), clicks, erase.IDs{"draftId": {newID()}}); err == nil {
				t.Errorf("Count() = %d, want an error", got)
			}
		})
	}
}

func TestCountBy(t *testing.T) {
	t.Parallel()
	one, other := newID(), newID()
	d, f := open(t, `200 {`+job+`,"jobComplete":true,"rows":[{"f":[{"v":"`+one+`"},{"v":"7"}]}]}`)
	got, err := d.CountBy(t.Context(), clicks, "guestSessionId", []string{one, other})
	if diff := cmp.Diff(map[string]int64{one: 7}, got); err != nil || diff != "" {
		t.Errorf("CountBy() = %v, %v", got, err)
	}
	if want := "SELECT guestSessionId, COUNT(*) FROM `my-project.telemetry.click_recorded` WHERE (guestSessionId IN UNNEST(@guestSessionId)) AND retentionClass <> 'regulated' GROUP BY guestSessionId"; f.sent(t, 0)["query"] != want {
		t.Errorf("query = %v, want %s", f.sent(t, 0)["query"], want)
	}
	for _, row := range []string{`{"f":[{"v":"gms_x"},{"v":"7"}]}`, `{"f":[{"v":"` + one + `"},{"v":"many"}]}`, `{"f":[{"v":"7"}]}`} {
		t.Run(row, func(t *testing.T) {
			d, _ := open(t, `200 {`+job+`,"jobComplete":true,"rows":[`+row+`]}`)
			if got, err := d.CountBy(t.Context(), clicks, "guestSessionId", []string{one}); err == nil {
				t.Errorf("CountBy() = %v, want an error", got)
			}
		})
	}
}

func TestOpen_names(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "telemetry", "my-project.", "my-project.a`b", "my-project.a.b"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check.Got(Open(t.Context(), name, option.WithoutAuthentication())).Fails(t, "Open(%q) = nil", name)
		})
	}
}
