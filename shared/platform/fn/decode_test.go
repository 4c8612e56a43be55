package fn_test

import (
	"fmt"
	"strings"
	"testing"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/testkit/check"
)

const (
	property = "ppt_01HZX3K8Q2M4N6P8R0S2T4V6W8"
	bookings = "/properties/" + property + "/bookings"
	right    = `{"guest":{"name":"Zarmina"},"nights":[{"date":"2026-03-01T00:00:00Z"}]}`
)

func TestDecode_allSources(t *testing.T) {
	t.Parallel()
	body := `{"guest":{"name":"زرمینه","age":30},"nights":[],"promo":"NAWROZ","note":"late"}`
	a := open(t, bookFunction).Post(bookings+"?rooms=3&unknown=ignored", body, "X-Channel", "web")
	want := `{"propertyId":"` + property + `","rooms":3,"channel":"web","name":"زرمینه","note":"late","at":"2026-03-01T12:00:00.123Z"}`
	check.Equal(t, a.Status, 201)
	check.Equal(t, string(a.Body), want)
}

func TestDecode_optionalFields(t *testing.T) {
	t.Parallel()
	a := open(t, bookFunction).Post(bookings, right)
	want := `{"propertyId":"` + property + `","rooms":1,"channel":"","name":"Zarmina","note":"none","at":"2026-03-01T12:00:00.123Z"}`
	check.Equal(t, a.Status, 201)
	check.Equal(t, string(a.Body), want)
}

func TestDecode_allViolations(t *testing.T) {
	t.Parallel()
	front := open(t, bookFunction)
	for _, test := range []struct {
		name string
		body string
		want []string // pointer and rule
	}{
		{"missing members, all of them", `{}`, []string{"/guest required", "/nights required"}},
		{"a missing member inside", `{"guest":{},"nights":[{}]}`, []string{"/guest/name required", "/nights/0/date required"}},
		{"unknown members, all of them", `{"guest":{"name":"Z","x":1},"nights":[],"y":{"z":[2]}}`, []string{"/guest/x unknown", "/y unknown"}},
		{"a member of another case", `{"Guest":{"name":"Z"},"guest":{"name":"Z"},"nights":[]}`, []string{"/Guest unknown"}},
		{"a path field set from the body", `{"Property":"x","property":"x","guest":{"name":"Z"},"nights":[]}`, []string{"/Property unknown", "/property unknown"}},
		{"null for a value", `{"guest":null,"nights":[{"date":null}]}`, []string{"/guest type", "/nights/0/date type"}},
		{"a wrong type", `{"guest":{"name":5},"nights":[]}`, []string{"/guest/name type"}},
		{"a wrong type where a list belongs", `{"guest":{"name":"Z"},"nights":{}}`, []string{"/nights type"}},
		{"a wrong form", `{"guest":{"name":"Z"},"nights":[{"date":"tomorrow"}]}`, []string{"/nights/0/date form"}},
		{"a wrong type inside a Maybe", `{"guest":{"name":"Z"},"nights":[],"note":7}`, []string{"/note type"}},
		{"a name with a slash", `{"a/b~c":1,"guest":{"name":"Z"},"nights":[]}`, []string{"/a~1b~0c unknown"}},
		{"a zero character", `{"guest":{"name":"Z\u0000"},"nights":[]}`, []string{"/guest/name form"}},
		{"a person's input as a name", `{"guest":{"name":"Z"},"nights":[],"x":{"zahra@example.com":"\u0000"}}`, []string{"/x unknown", "/x form"}},
		{"not an object", `[]`, []string{" type"}},
		{"a rule across fields", `{"guest":{"name":"nobody"},"nights":[]}`, []string{"/guest/name somebody"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			a := front.Post(bookings, test.body)
			a.WantProblem(t, 400, fault.ErrValidation.Code)
			var got []string
			for _, v := range a.Problem().Violations {
				got = append(got, v.Pointer+" "+v.Rule)
				if v.Message == "" {
					t.Errorf("%s has no message", v.Pointer)
				}
			}
			check.Equal(t, got, test.want)
		})
	}
}

func TestDecode_strictJSON(t *testing.T) {
	t.Parallel()
	front := open(t, bookFunction)
	nested := func(levels int) string {
		return `{"guest":{"name":"Z"},"nights":[],"x":` + strings.Repeat("[", levels-1) + strings.Repeat("]", levels-1) + `}`
	}
	for _, test := range []struct {
		name, body string
		want       *fault.Fault
	}{
		{"nothing", ``, fault.ErrMalformedJSON},
		{"only space", ` `, fault.ErrMalformedJSON},
		{"cut off", right[:20], fault.ErrMalformedJSON},
		{"trailing data", right + `{}`, fault.ErrMalformedJSON},
		{"a duplicate member", `{"guest":{"name":"A","name":"B"},"nights":[]}`, fault.ErrMalformedJSON},
		{"a duplicate by another spelling", `{"guest":{"name":"A","n\u0061me":"B"},"nights":[]}`, fault.ErrMalformedJSON},
		{"a duplicate among unknown members", `{"guest":{"name":"A"},"nights":[],"x":{"y":1,"y":2}}`, fault.ErrMalformedJSON},
		{"invalid UTF-8", "{\"guest\":{\"name\":\"\xff\"},\"nights\":[]}", fault.ErrMalformedJSON},
		{"half a surrogate pair", `{"guest":{"name":"\ud800"},"nights":[]}`, fault.ErrMalformedJSON},
		{"a comment", `{"guest":{"name":"Z"},/* */"nights":[]}`, fault.ErrMalformedJSON},
		{"33 levels", nested(33), fault.ErrMalformedJSON},
		{"32 levels, but unknown", nested(32), fault.ErrValidation},
		{"10,000 levels", strings.Repeat("[", 2000), fault.ErrMalformedJSON},
		{"too large", `{"guest":{"name":"` + strings.Repeat("a", 4096) + `"},"nights":[]}`, fault.ErrTooLarge},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			a := front.Post(bookings, test.body)
			a.WantProblem(t, test.want.Kind.Status(), test.want.Code)
		})
	}
}

func TestDecode_contentType(t *testing.T) {
	t.Parallel()
	front := open(t, bookFunction)
	for _, test := range []struct {
		name    string
		headers []string
		want    int
	}{
		{"plain JSON", []string{"Content-Type", "application/json"}, 201},
		{"JSON in UTF-8", []string{"Content-Type", "Application/JSON; charset=UTF-8"}, 201},
		{"JSON in another encoding", []string{"Content-Type", "application/json; charset=utf-16"}, 415},
		{"no type", []string{"Content-Type", ""}, 415},
		{"text", []string{"Content-Type", "text/plain"}, 415},
		{"a form", []string{"Content-Type", "application/x-www-form-urlencoded"}, 415},
		{"compressed", []string{"Content-Encoding", "gzip"}, 415},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			front.Post(bookings, right, test.headers...).Want(t, test.want)
		})
	}
}

func TestDecode_fieldRules(t *testing.T) {
	t.Parallel()
	front := open(t, bookFunction)
	for _, test := range []struct {
		name, path string
		want       int
		pointer    string
	}{
		{"an id of another kind names nothing", "/properties/rsv_01HZX3K8Q2M4N6P8R0S2T4V6W8/bookings", 404, ""},
		{"no number", bookings + "?rooms=three", 400, "/rooms"},
		{"a number that does not fit", bookings + "?rooms=99999999999999999999", 400, "/rooms"},
		{"given twice", bookings + "?rooms=1&rooms=2", 400, "/rooms"},
		{"given empty", bookings + "?rooms=", 400, "/rooms"},
		{"a query that does not parse", bookings + "?rooms=%zz", 400, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			a := front.Post(test.path, right)
			check.MustEqual(t, a.Status, test.want, "%s", a.Body)
			if v := a.Problem().Violations; test.want == 400 && (len(v) != 1 || v[0].Pointer != test.pointer) {
				t.Errorf("got %v, want %s", v, test.pointer)
			}
		})
	}
}

func TestDecode_form(t *testing.T) {
	t.Parallel()
	type decision struct {
		Intent id.Intent `path:"intent"`
		Action string    `form:"action"`
	}
	pay := serve(fn.Spec{Name: "test-pay", Route: "POST /pay/{intent}", Answer: fn.SeeOther}, payBack[decision])
	front := open(t, pay)
	path := "/pay/pyi_01HZX3K8Q2M4N6P8R0S2T4V6W8"
	form := []string{"Content-Type", "application/x-www-form-urlencoded"}
	switch a := front.Post(path, "action=pay", form...); {
	case a.Status != 303:
		t.Errorf("a.Status = %v, want 303", a.Status)
	case a.Header.Get("Location") != "/done":
		t.Errorf(`a.Header.Get("Location") = %q, want "/done"`, a.Header.Get("Location"))
	case len(a.Body) != 0:
		t.Errorf("len(a.Body) = %v, want 0", len(a.Body))
	}
	if a := front.Post(path, "", form...); a.Status != 400 || a.Problem().Violations[0].Pointer != "/action" {
		t.Errorf("without its field: got %d %s", a.Status, a.Body)
	}
	front.Post(path, `{"action":"pay"}`).Want(t, 415)
}

func TestDecode_emptyBody(t *testing.T) {
	t.Parallel()
	front := open(t, serve(fn.Spec{Name: "test-clear", Route: "POST /clear"}, nothing))
	for body, want := range map[string]int{``: 204, `{}`: 204, `{"a":1}`: 400, `[]`: 400, `{`: 400} {
		t.Run(fmt.Sprintf("%q", body), func(t *testing.T) {
			if a := front.Post("/clear", body); a.Status != want {
				t.Errorf("%q: got %d %s, want %d", body, a.Status, a.Body, want)
			}
		})
	}
}
