package evolution_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"melmastoon.ghasi.io/scripts/schemadiff/evolution"
	"melmastoon.ghasi.io/scripts/schemadiff/normal"
	"melmastoon.ghasi.io/shared/testkit/check"
)

func corpus() []edit {
	return slices.Concat(members, mentioned, constraints, structures, notes, rewrites)
}

// diff returns the findings of an edit without the given rule, as "pointer rule", with the given step of the normalisation left out.
func (e edit) diff(t *testing.T, rule evolution.Rule, steps ...string) (lines []string) {
	t.Helper()
	found := evolution.Compare(canonical(t, e.older, steps...), canonical(t, e.newer, steps...))
	for _, f := range found {
		if f.Rule != rule {
			lines = append(lines, f.Pointer+" "+string(f.Rule))
		}
	}
	return lines
}

func canonical(t *testing.T, text string, steps ...string) normal.Schema {
	t.Helper()
	document := check.Got(normal.Parse([]byte(text))).Must(t)
	return check.Got(normal.Of(document, steps...)).Must(t)
}

func TestCompare_corpus(t *testing.T) {
	t.Parallel()
	all := corpus()
	if len(all) < 80 {
		t.Errorf("%d edits, want 80 or more", len(all))
	}
	for _, e := range all {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			check.Equal(t, e.diff(t, ""), e.want, "findings")
			if same := (edit{older: e.newer, newer: e.newer}).diff(t, ""); len(same) > 0 {
				t.Errorf("a schema compared with itself: %q", same)
			}
		})
	}
}

// TestCorpus_missesNoRule switches off each rule and each step: the corpus must notice.
func TestCorpus_missesNoRule(t *testing.T) {
	t.Parallel()
	for _, rule := range evolution.Rules() {
		t.Run(string(rule), func(t *testing.T) {
			t.Parallel()
			if !noticed(t, rule) {
				t.Error("no edit needs this rule")
			}
		})
	}
	for _, step := range normal.Steps() {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			if !noticed(t, "", step) {
				t.Error("no edit needs this step")
			}
		})
	}
}

func noticed(t *testing.T, rule evolution.Rule, steps ...string) bool {
	t.Helper()
	return slices.ContainsFunc(corpus(), func(e edit) bool { return !slices.Equal(e.diff(t, rule, steps...), e.want) })
}

// probes are values at which the schemas of the corpus may differ.
var probes = []string{
	`null`, `true`, `0`, `1`, `2`, `1.5`, `-1`, `9`, `10`, `100`, `""`, `"a"`, `"b"`, `"abcd"`, `[]`, `[1]`, `["a"]`, `["a","a"]`, `[null]`, `{}`,
	`{"a":"x"}`, `{"a":1}`, `{"a":"abcd"}`, `{"b":2}`, `{"a":"x","b":2}`, `{"a":"x","c":true}`, `{"b":1,"c":1}`, `{"a":{},"b":{},"c":1}`, `{"x":1}`,
	`{"x":1,"y":1}`, `{"x-a":1}`, `{"n":{"n":{}}}`, `{"n":1}`, `{"d":1}`,
}

// TestCorpus_isTrue asks an independent validator: two schemas without findings must accept the same probes.
func TestCorpus_isTrue(t *testing.T) {
	t.Parallel()
	for _, e := range rewrites {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			older, newer := compile(t, e.older), compile(t, e.newer)
			for _, probe := range probes {
				value := check.Got(jsonschema.UnmarshalJSON(bytes.NewReader([]byte(probe)))).Must(t)
				if was, is := older.Validate(value) == nil, newer.Validate(value) == nil; was != is {
					t.Errorf("%s: accepted by the older: %t, by the newer: %t", probe, was, is)
				}
			}
		})
	}
}

func compile(t *testing.T, text string) *jsonschema.Schema {
	t.Helper()
	document := check.Got(jsonschema.UnmarshalJSON(bytes.NewReader([]byte(text)))).Must(t)
	compiler := jsonschema.NewCompiler()
	check.Must(t, compiler.AddResource("https://a.example/v1", document))
	return check.Got(compiler.Compile("https://a.example/v1")).Must(t)
}
