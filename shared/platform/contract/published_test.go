package contract

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/santhosh-tekuri/jsonschema/v6"

	eventschemas "melmastoon.ghasi.io/schemas/events"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// each runs a test for every published schema, with its subject and its document.
func each(t *testing.T, run func(t *testing.T, subject string, document map[string]any)) {
	t.Helper()
	names, err := fs.Glob(eventschemas.Files, "*.json")
	if err != nil || len(names) == 0 {
		t.Fatalf("found %d schemas, %v", len(names), err)
	}
	for _, name := range names {
		subject := strings.TrimSuffix(path.Base(name), ".json")
		t.Run(subject, func(t *testing.T) {
			t.Parallel()
			file := check.Got(eventschemas.Files.Open(name)).Must(t)
			defer file.Close()
			document := check.Got(jsonschema.UnmarshalJSON(file)).Must(t)
			run(t, subject, document.(map[string]any))
		})
	}
}

func TestPublishedSchemas_compile(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, subject string, _ map[string]any) {
		for name, m := range map[string]model{"open": open, "closed": closed} {
			t.Run(name, func(t *testing.T) {
				if _, err := published.schema(form{subject, m}); err != nil {
					t.Errorf("error = %v, want nil", err)
				}
			})
		}
	})
}

// TestPublishedSchemas_canBeSealed rejects a keyword that seal does not know: members that it declares might stay open. It
// also rejects a format that the library would ignore.
func TestPublishedSchemas_canBeSealed(t *testing.T) {
	t.Parallel()
	plain := []string{"$id", "$schema", "$comment", "title", "description", "examples", "deprecated", "type", "const", "enum", "format", "pattern",
		"minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "required",
		"x-publisher", "x-consumers", "x-retention", "x-sampling", "x-ordering-key", "x-enum", "x-pii"}
	var walk func(t *testing.T, at string, schema any, conditional bool)
	walk = func(t *testing.T, at string, schema any, conditional bool) {
		object, _ := schema.(map[string]any) // else true or false
		for keyword, value := range object {
			at := at + pointer(keyword)
			switch {
			case keyword == "properties":
				for name, member := range value.(map[string]any) {
					walk(t, at+pointer(name), member, false)
				}
			case keyword == "items", keyword == "additionalProperties":
				walk(t, at, value, false)
			case keyword == "$defs":
				for name, definition := range value.(map[string]any) {
					walk(t, at+pointer(name), definition, false)
				}
			case keyword == "allOf":
				for i, branch := range value.([]any) {
					walk(t, at+pointer(strconv.Itoa(i)), branch, false)
				}
			case keyword == "$ref": // to a definition, which is sealed
				if target, _ := value.(string); !strings.HasPrefix(target, "#/$defs/") {
					t.Errorf("%s: refers to %v, want a definition of the same schema", at, value)
				}
			case (keyword == "if" || keyword == "then" || keyword == "else") && !conditional:
				walk(t, at, value, true)
			case keyword == "format" && value != "date" && value != "date-time":
				t.Errorf("%s: format %q is not tested here", at, value)
			case !slices.Contains(plain, keyword):
				t.Errorf("%s: seal does not know this keyword", at)
			}
		}
	}
	each(t, func(t *testing.T, _ string, document map[string]any) { walk(t, "", document, false) })
}

// TestPublishedSchemas_areClosed puts an unknown member into each object of a payload. The closed form must reject exactly the
// objects with declared members, and otherwise agree with the open form.
func TestPublishedSchemas_areClosed(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, subject string, document map[string]any) {
		var want []string
		payload := check.Got(json.Marshal(sample(document, "", &want))).Must(t)
		inOpen := check.Got(published.check(subject, open, payload)).Must(t)
		inClosed := check.Got(published.check(subject, closed, payload)).Must(t)
		var got []string
		for _, v := range inClosed {
			if v.Rule == unknown {
				got = append(got, v.Pointer)
			} else if !slices.Contains(inOpen, v) {
				t.Errorf("only the closed form finds %v", v)
			}
		}
		slices.Sort(want)
		check.Equal(t, got, want, "unknown members")
		if len(inClosed) != len(inOpen)+len(want) {
			t.Errorf("closed form finds %d violations, open form %d, unknown members %d", len(inClosed), len(inOpen), len(want))
		}
	})
}

// sample returns a value with all members that the schema declares and one more in each object. It appends the pointers of
// those to intruders.
func sample(schema map[string]any, at string, intruders *[]string) any {
	properties, declares := schema["properties"].(map[string]any)
	switch {
	case declares:
		object := map[string]any{"intruder": "zahra"}
		*intruders = append(*intruders, at+"/intruder")
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			object[name] = sample(properties[name].(map[string]any), at+pointer(name), intruders)
		}
		return object
	case schema["x-enum"] == "open": // the forms differ only for other values
		return schema["enum"].([]any)[0]
	case schema["type"] == "object":
		return map[string]any{"intruder": "zahra"}
	case schema["type"] == "array":
		var items []any
		for i := range 2 {
			items = append(items, sample(schema["items"].(map[string]any), at+pointer(strconv.Itoa(i)), intruders))
		}
		return items
	}
	return "zahra"
}

func TestDateTime(t *testing.T) {
	t.Parallel()
	r := files(map[string]string{"at.v1": `{"format":"date-time"}`, "on.v1": `{"format":"date"}`})
	for text, want := range map[string]bool{
		"2026-04-22T18:31:00Z":         true,
		"2026-04-22T18:31:00.123456Z":  true,
		"2026-04-22T18:31:00+04:30":    true,
		"2024-02-29T00:00:00-23:59":    true,
		"2016-12-31T23:59:60Z":         true,  // a leap second
		"2016-12-31T23:58:60Z":         false, // not a leap second
		"2026-02-29T00:00:00Z":         false,
		"2026-04-22T24:00:00Z":         false,
		"2026-04-22T18:31:00":          false,
		"2026-04-22T18:31:00.Z":        false,
		"2026-04-22T18:31:00+0430":     false,
		"2026-04-22T18:31:00Zulu":      false,
		"2026-04-22T18:31:00.00000001": false,
		"":                             false,
	} {
		t.Run(fmt.Sprintf("%q", text), func(t *testing.T) {
			found := check.Got(r.check("at.v1", open, []byte(strconv.Quote(text)))).Must(t)
			check.Equal(t, len(found) == 0, want, "date-time %q: valid", text)
		})
	}
	for text, want := range map[string]bool{"2026-04-22": true, "2024-02-29": true, "2026-02-29": false, "2026-4-22": false, "2026-04-22T00:00:00Z": false, "": false} {
		t.Run(fmt.Sprintf("%q", text), func(t *testing.T) {
			found := check.Got(r.check("on.v1", open, []byte(strconv.Quote(text)))).Must(t)
			check.Equal(t, len(found) == 0, want, "date %q: valid", text)
		})
	}
}

// TestPublishedSchemas_openEnumsAreTexts rejects an open enum with other values than texts, which the open form would reject.
func TestPublishedSchemas_openEnumsAreTexts(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, _ string, document map[string]any) {
		for _, value := range openValues(document) {
			if _, ok := value.(string); !ok {
				t.Errorf("an open enum has the value %v", value)
			}
		}
	})
}

// openValues returns the values of all open enums in a schema.
func openValues(schema any) (values []any) {
	switch part := schema.(type) {
	case map[string]any:
		if named, ok := part["enum"].([]any); ok && part["x-enum"] == "open" {
			values = named
		}
		for _, member := range part {
			values = append(values, openValues(member)...)
		}
	case []any:
		for _, member := range part {
			values = append(values, openValues(member)...)
		}
	}
	return values
}
