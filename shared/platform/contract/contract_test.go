package contract

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/testkit/check"
)

const booked = `{
	"$id": "https://schemas.example.org/booked/v1.json",
	"$schema": "https://json-schema.org/draft/2020-12/schema",
	"type": "object",
	"required": ["code", "total", "at"],
	"properties": {
		"code": {"type": "string", "pattern": "^GM-[A-Z0-9]{6}$"},
		"at": {"type": "string", "format": "date-time"},
		"total": {"type": "object", "required": ["micro"], "properties": {"micro": {"type": "string"}}},
		"rooms": {"type": "array", "items": {"type": "object", "properties": {"type": {"type": "string"}}}},
		"before": {"type": "object"},
		"remark": {"type": "string", "x-pii": "free_text"},
		"method": {"enum": ["card", "cash"], "x-enum": "open"},
		"states": {"type": "array", "items": {"enum": ["held"], "x-enum": "closed"}},
		"notes": {"type": "object", "properties": {"count": {"type": "integer"}}, "additionalProperties": {"type": "string"}},
		"payer": {
			"properties": {"kind": {"enum": ["guest", "staff"]}, "id": {"type": "string"}},
			"if": {"properties": {"kind": {"const": "staff"}}},
			"then": {"properties": {"desk": {"type": "object", "properties": {"no": {"type": "integer"}}}}}
		}
	}
}`

func files(documents map[string]string) *registry {
	fsys := fstest.MapFS{}
	for subject, document := range documents {
		fsys[subject+".json"] = &fstest.MapFile{Data: []byte(document)}
	}
	return &registry{files: fsys}
}

// with is a payload that keeps the contract, with members put in front.
func with(members string) string {
	return `{` + members + `"code":"GM-ABC123","at":"2026-04-22T18:31:00.123Z","total":{"micro":"1"}}`
}

func TestModels(t *testing.T) {
	t.Parallel()
	r := files(map[string]string{"booked.v1": booked})
	for _, test := range []struct {
		name         string
		payload      string
		open, closed string // pointer and rule of each violation
	}{
		{"declared members", with(``), "", ""},
		{"unknown member", with(`"email":"a@b.c",`), "", "/email unknown"},
		{"unknown member in a list", with(`"rooms":[{"type":"x"},{"type":"y","guest":"Zahra"}],`), "", "/rooms/1/guest unknown"},
		{"unknown member in an object", `{"code":"GM-ABC123","at":"2026-04-22T18:31:00Z","total":{"micro":"1","iban":"x"}}`, "", "/total/iban unknown"},
		{"member of a branch", with(`"payer":{"kind":"staff","id":"1","desk":{"no":4}},`), "", ""},
		{"member of another branch", with(`"payer":{"kind":"guest","id":"1","desk":{"no":4}},`), "", "/payer/desk unknown"},
		{"unknown member in an object of a branch", with(`"payer":{"kind":"staff","desk":{"no":4,"phone":"x"}},`), "", "/payer/desk unknown /payer/desk/phone unknown"},
		{"unknown value of an open enum", with(`"method":"mfs",`), "", "/method enum"},
		{"number for an open enum", with(`"method":7,`), "/method type", "/method enum"},
		{"unknown value of a closed enum", with(`"states":["lost"],`), "/states/0 enum", "/states/0 enum"},
		{"object without declared members", with(`"before":{"anything":1},`), "", ""},
		{"additional members that the schema allows", with(`"notes":{"count":1,"free":"text"},`), "", ""},
		{"additional members of a wrong type", with(`"notes":{"free":1},`), "/notes/free type", "/notes/free type"},
		{"missing members", `{"code":"GM-ABC123"}`, "/at required /total required", "/at required /total required"},
		{"wrong format", strings.Replace(with(``), "18:31", "25:31", 1), "/at format", "/at format"},
		{"wrong pattern", strings.Replace(with(``), "GM-ABC123", "GM-secret", 1), "/code pattern", "/code pattern"},
		{"list", `[]`, " type", " type"},
		{"duplicate member", with(`"code":"GM-ABC124",`), " json", " json"},
		{"incomplete document", `{"code":`, " json", " json"},
		{"invalid UTF-8", with("\"before\":{\"a\":\"\xff\"},"), " json", " json"},
		{"number too large", with(`"before":{"a":1e999999999},`), " json", " json"},
		{"second value", with(``) + `{}`, " json", " json"},
		{"free text with a telephone number", with(`"remark":"call +93 70 012 3456",`), "", "/remark format"},
		{"free text without contact data", with(`"remark":"two cots in room 204",`), "", ""},
		{"e-mail address in another text", with(`"before":{"remark":"z@example.com"},`), "", ""},
		{"name with a slash", with(`"a/b~c":1,`), "", "/a~1b~0c unknown"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for m, want := range map[model]string{open: test.open, closed: test.closed} {
				t.Run(fmt.Sprint(m), func(t *testing.T) {
					got := check.Got(r.check("booked.v1", m, []byte(test.payload))).Must(t)
					check.Equal(t, list(got), want, "model %d", m)
				})
			}
		})
	}
}

func list(found []fault.Violation) string {
	var all []string
	for _, v := range found {
		all = append(all, v.Pointer+" "+v.Rule)
	}
	return strings.Join(all, " ")
}

func TestRegistry_compilesOnce(t *testing.T) {
	t.Parallel()
	r := files(map[string]string{"booked.v1": booked})
	first := check.Got(r.schema(form{"booked.v1", closed})).Must(t)
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() { check.Got(r.schema(form{"booked.v1", closed})).Want(t, first, "another schema") })
	}
	wg.Wait()
}

func TestRegistry_unusableSchema(t *testing.T) {
	t.Parallel()
	r := files(map[string]string{"booked.v1": booked, "type.v1": `{"type": 5}`, "half.v1": `{"type":"string"`, "pattern.v1": `{"pattern":"("}`, "dialect.v1": `{"$schema":"https://example.org/own"}`})
	for _, subject := range []string{"type.v1", "half.v1", "pattern.v1", "dialect.v1", "absent.v1", "../booked.v1", ""} {
		t.Run(fmt.Sprintf("%q", subject), func(t *testing.T) {
			for name, m := range map[string]model{"open": open, "closed": closed} {
				t.Run(name, func(t *testing.T) {
					if _, err := r.check(subject, m, []byte(`{}`)); err == nil || !strings.Contains(err.Error(), "schema of") {
						t.Errorf("error = %v, want one that names the schema", err)
					}
				})
			}
		})
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	const subject = "melmastoon.reservation.held.v1"
	payload := []byte(`{"reservationId":"zahra@example.org"}`)
	incoming, outgoing := ValidateIncoming(subject, payload), ValidateOutgoing(subject, payload)
	f := fault.From(incoming)
	if f.Kind != fault.Invalid || len(f.Violations) == 0 {
		t.Errorf("incoming: got %v, want a fault of kind Invalid with violations", incoming)
	}
	if got := fault.From(outgoing).Kind; got != fault.Internal {
		t.Errorf("outgoing: got kind %v, want Internal", got)
	}
	for name, err := range map[string]error{"incoming": incoming, "outgoing": outgoing} {
		t.Run(name, func(t *testing.T) {
			if strings.Contains(err.Error(), "zahra") || !strings.Contains(err.Error(), "/reservationId") {
				t.Errorf("got %q, want pointers and no values", err)
			}
		})
	}
	if err := ValidateIncoming("melmastoon.never.happened.v1", []byte(`{}`)); fault.From(err).Kind != fault.Internal {
		t.Errorf("no schema: got %v, want an internal error", err)
	}
}

func BenchmarkSaid(b *testing.B) {
	r := files(map[string]string{"booked.v1": booked})
	payload := []byte(with(``))
	for b.Loop() {
		if found, err := r.check("booked.v1", closed, payload); err != nil || len(found) > 0 {
			b.Fatal(found, err)
		}
	}
}
