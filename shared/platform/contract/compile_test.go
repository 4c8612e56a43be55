package contract

import (
	"strconv"
	"strings"
	"testing"
)

func TestSchemasThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, schema string
		says         []string
	}{
		{"half a document", `{"type":"string"`, []string{"EOF"}},
		{"two documents", `{} {}`, []string{"follows the schema"}},
		{"no schema", `5`, []string{`""`, "is no object"}},
		{"a keyword that nobody would hold, with its place", `{"properties":{"a/b":{"uniqueItems":true}}}`, []string{`"/properties/a~1b/uniqueItems"`, "not known here"}},
		{"a reference", `{"items":{"$ref":"https://example.org/other.json"}}`, []string{`"/items/$ref"`, "not known here"}},
		{"another dialect", `{"$schema":"http://json-schema.org/draft-07/schema#"}`, []string{`"/$schema"`, dialect}},
		{"a type that is none", `{"type":"float"}`, []string{`"/type"`, `"float"`}},
		{"a type that is no name", `{"type":5}`, []string{`"/type"`, "is no string"}},
		{"no type at all", `{"type":[]}`, []string{`"/type"`, "is empty"}},
		{"a constant that is no string", `{"const":null}`, []string{`"/const"`, "is no string"}},
		{"an option that is no string", `{"enum":["a",null]}`, []string{`"/enum/0"`, "is no string"}},
		{"options that are no list", `{"enum":"a"}`, []string{`"/enum"`, "is no list"}},
		{"a format that nobody would hold", `{"format":"uuid"}`, []string{`"/format"`, `"uuid"`}},
		{"a pattern that is none", `{"pattern":"("}`, []string{`"/pattern"`, "missing closing"}},
		{"a length below zero", `{"minLength":-1}`, []string{`"/minLength"`, "is no count"}},
		{"a length that is no number", `{"maxLength":null}`, []string{`"/maxLength"`, "is no count"}},
		{"a bound that is no number", `{"minimum":"1"}`, []string{`"/minimum"`, "is no number"}},
		{"a branch without a condition", `{"items":{"then":{}}}`, []string{`"/items`, "need an if"}},
		{"a condition in a condition", `{"if":{"if":{}}}`, []string{`"/if"`, "inside a condition"}},
		{"one member twice", `{"properties":{"a":{},"a":{}}}`, []string{"/properties/a"}},
		{"more members than are counted", demanding(mostMembers + 1), []string{"more than 64"}},
		{"nothing: as many as are counted", demanding(mostMembers), nil},
	} {
		_, err := compile([]byte(test.schema))
		if test.says == nil {
			if err != nil {
				t.Errorf("%s: %v", test.name, err)
			}
			continue
		}
		for _, what := range test.says {
			if err == nil || !strings.Contains(err.Error(), what) {
				t.Errorf("%s: got %v, want an error that says %s", test.name, err, what)
			}
		}
	}
}

// demanding is a schema with so many members.
func demanding(n int) string {
	var names []string
	for i := range n {
		names = append(names, strconv.Quote("m"+strconv.Itoa(i)))
	}
	return `{"required":[` + strings.Join(names, ",") + `]}`
}

func TestASubjectWithoutASchema(t *testing.T) {
	t.Parallel()
	r := files(map[string]string{"booked.v1": booked, "broken.v1": `{"type": 5}`})
	for _, subject := range []string{"broken.v1", "absent.v1", "../booked.v1", ""} {
		for _, m := range []model{open, closed} {
			if _, err := r.check(subject, m, []byte(`{}`)); err == nil || !strings.Contains(err.Error(), "schema of") {
				t.Errorf("%q, model %d: got %v", subject, m, err)
			}
		}
	}
}
