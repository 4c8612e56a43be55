package history

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"melmastoon.ghasi.io/scripts/schemadiff/evolution"
	"melmastoon.ghasi.io/scripts/schemadiff/normal"
)

// A structure collects what oasdiff's changelog leaves out and its structural diff has: changed texts for readers, and objects that become
// closed or open.
type structure struct {
	found []evolution.Finding
	texts map[string]bool // the changed texts so far
}

// diffStructure compares two OpenAPI documents by oasdiff's structural diff. A text that changes in many places, as that of a shared schema,
// is reported once.
func diffStructure(older, newer Contract) ([]evolution.Finding, error) {
	report, err := runTool("diff", older, newer)
	if err != nil {
		return nil, err
	}
	var diff map[string]any
	if err := json.Unmarshal(report, &diff); err != nil {
		return nil, fmt.Errorf("%s: oasdiff's structural diff: %w", newer.Name, err)
	}
	s := structure{texts: map[string]bool{}}
	s.walk(diff, nil)
	return s.found, nil
}

// walk goes through an object of the diff. The components come before the paths that use them.
func (s *structure) walk(diff map[string]any, at []string) {
	s.model(diff, at, "additionalProperties")
	s.model(diff, at, "unevaluatedProperties")
	for _, name := range slices.Sorted(maps.Keys(diff)) {
		below := append(slices.Clip(at), name)
		switch value := diff[name].(type) {
		case map[string]any:
			if was, is, ok := edges(value); !ok {
				s.walk(value, below)
			} else if slices.Contains([]string{"title", "summary", "description"}, name) {
				s.text(at, name, was, is)
			}
		case []any:
			for _, part := range value {
				if part, ok := part.(map[string]any); ok {
					s.walk(part, below)
				}
			}
		}
	}
}

// edges returns the older and the newer value, if a part of the diff is one of a value.
func edges(part any) (was, is any, ok bool) {
	value, _ := part.(map[string]any)
	was, from := value["from"]
	is, to := value["to"]
	return was, is, from && to && len(value) == 2
}

func (s *structure) text(at []string, name string, was, is any) {
	change := name + normal.Text(was) + normal.Text(is)
	if s.texts[change] {
		return
	}
	s.texts[change] = true
	rule := evolution.DescriptionChanged
	if was == nil || was == "" {
		rule = evolution.DescriptionAdded
	}
	s.find(at, rule, rule.Verdict(), name+" "+normal.Text(is))
}

// model reports a change of a keyword about undeclared members. A closed request rejects what callers may send, and an open response has what
// callers may reject. The components are left out: their verdict depends on where they are used.
func (s *structure) model(diff map[string]any, at []string, keyword string) {
	if len(at) > 0 && at[0] == "components" {
		return
	}
	was, is, changed := edges(diff[keyword+"Allowed"])
	schema, _ := diff[keyword].(map[string]any)
	if !changed && schema["schemaAdded"] == nil && schema["schemaDeleted"] == nil {
		return
	}
	rule, unharmed := evolution.ModelOpened, "request"
	switch {
	case is == false, !changed && schema["schemaAdded"] != nil:
		rule, unharmed = evolution.ModelClosed, "response"
	case was != false && schema["schemaDeleted"] == nil:
		return // true and nothing have the same meaning
	}
	verdict := evolution.Breaking
	if direction(at) == unharmed {
		verdict = evolution.Compatible
	}
	s.find(at, rule, verdict, keyword)
}

// direction returns request or response, or nothing if the place is neither.
func direction(at []string) string {
	if len(at) > 6 && at[0] == "paths" {
		switch at[6] {
		case "requestBody", "parameters":
			return "request"
		case "responses":
			return "response"
		}
	}
	return ""
}

// find adds a finding. The diff's place of an operation is paths, modified, its path, operations, modified and its method.
func (s *structure) find(at []string, rule evolution.Rule, verdict evolution.Verdict, detail string) {
	f := evolution.Finding{Rule: rule, As: verdict}
	if len(at) > 5 && at[0] == "paths" && at[3] == "operations" {
		f.Pointer, at = at[5]+" "+at[2], at[6:]
	}
	place := strings.Join(slices.DeleteFunc(slices.Clone(at), func(name string) bool { return name == "modified" || name == "diff" }), "/")
	if f.Pointer == "" {
		f.Pointer, place = "/"+place, ""
	}
	f.Detail = strings.TrimSpace(place + " " + detail)
	s.found = append(s.found, f)
}
