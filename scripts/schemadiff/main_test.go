package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io/scripts/schemadiff/history"
	"melmastoon.ghasi.io/scripts/schemadiff/history/historytest"
	"melmastoon.ghasi.io/shared/testkit/check"
)

func TestMain(m *testing.M) {
	history.OpenAPITool = filepath.Join("..", "..", history.OpenAPITool)
	os.Exit(m.Run())
}

// TestReleased_compatible compares the contracts of the tree with every released version: this is the gate of CI.
func TestReleased_compatible(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..", "schemas")
	historytest.Released(t, root)
	var out, complaints bytes.Buffer
	c := command{root: root, today: time.Now(), out: &out, complaints: &complaints}
	check.Equal(t, c.run(nil), compatible, `exit status; see CONTRIBUTING.md, "Change a contract": %s%s`, out.String(), complaints.String())
}

// a folder has files by name.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		file := filepath.Join(root, name)
		check.Must(t, os.MkdirAll(filepath.Dir(file), 0o755))
		check.Must(t, os.WriteFile(file, []byte(text), 0o644))
	}
	return root
}

func TestCommand_twoFiles(t *testing.T) {
	t.Parallel()
	root := folder(t, map[string]string{
		"plain.json":     `{"properties":{"a":{"type":"string"}}}`,
		"wider.json":     `{"properties":{"a":{"type":"string"},"b":{"type":"string"}}}`,
		"retyped.json":   `{"properties":{"a":{"type":"integer"}}}`,
		"described.json": `{"description":"A.","properties":{"a":{"type":"string"}}}`,
		"redefined.json": `{"description":"B.","properties":{"a":{"type":"string"}}}`,
		"broken.json":    `{"properties":`,
		"api.yaml":       `openapi: 3.1.0`,
	})
	for _, test := range []struct {
		name   string
		args   []string // files below root, and flags
		status int
		out    string
	}{
		{"same", []string{"plain.json", "plain.json"}, compatible, ""},
		{"added", []string{"plain.json", "wider.json"}, compatible, "/properties/b member-added compatible\n"},
		{"removed", []string{"wider.json", "plain.json"}, breaking, "/properties/b member-removed breaking\n"},
		{"retyped", []string{"plain.json", "retyped.json"}, breaking, "/properties/a/type keyword-changed breaking \"integer\", was \"string\"\n"},
		{"redefined", []string{"described.json", "redefined.json"}, breaking, "/ description-changed acknowledge description \"B.\"\n"},
		{"acknowledged", []string{"--acknowledge", "described.json", "redefined.json"}, compatible, "/ description-changed acknowledge description \"B.\"\n"},
		{"acknowledged_breaking", []string{"--acknowledge", "plain.json", "retyped.json"}, breaking, "/properties/a/type keyword-changed breaking \"integer\", was \"string\"\n"},
		{"broken", []string{"plain.json", "broken.json"}, unreadable, ""},
		{"both_broken", []string{"broken.json", "broken.json"}, unreadable, ""},
		{"missing", []string{"plain.json", "absent.json"}, unreadable, ""},
		{"kinds", []string{"plain.json", "api.yaml"}, unreadable, ""},
		{"one_argument", []string{"plain.json"}, unreadable, ""},
		{"unknown_flag", []string{"--force"}, unreadable, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var args []string
			for _, arg := range test.args {
				if !strings.HasPrefix(arg, "-") {
					arg = filepath.Join(root, arg)
				}
				args = append(args, arg)
			}
			var out, complaints bytes.Buffer
			c := command{root: root, today: time.Now(), out: &out, complaints: &complaints}
			if status := c.run(args); status != test.status || out.String() != test.out {
				t.Errorf("status %d, output %q, want %d, %q\n%s", status, out.String(), test.status, test.out, complaints.String())
			}
			check.Equal(t, complaints.Len() > 0, test.status == unreadable, "complaints: %q", complaints.String())
		})
	}
}

func TestCommand_twoFolders(t *testing.T) {
	t.Parallel()
	root := folder(t, map[string]string{
		"old/events/a.v1.json":     `{"type":"object"}`,
		"retyped/events/a.v1.json": `{"type":"array"}`,
		"removed/events/b.v1.json": `{"type":"object"}`,
		"broken/events/a.v1.json":  `{"type":`,
	})
	for _, test := range []struct {
		older, newer string
		status       int
	}{
		{"old", "old", compatible},
		{"old", "retyped", breaking},
		{"old", "removed", breaking},
		{"old", "broken", unreadable},
		{"old", "absent", unreadable},
		{"old/events", "old/events", unreadable}, // the folder above is meant
		{"old", "old/events", unreadable},
		{"old", "old/events/a.v1.json", unreadable},
	} {
		t.Run(test.older+" to "+test.newer, func(t *testing.T) {
			t.Parallel()
			var out, complaints bytes.Buffer
			c := command{root: root, today: time.Now(), out: &out, complaints: &complaints}
			if status := c.run([]string{filepath.Join(root, test.older), filepath.Join(root, test.newer)}); status != test.status {
				t.Errorf("status %d, want %d\n%s%s", status, test.status, out.String(), complaints.String())
			}
		})
	}
}

// TestCommand_base compares a repository's working tree with a revision.
func TestCommand_base(t *testing.T) {
	t.Parallel()
	r := historytest.NewRepository(t)
	r.Put("events/a.v1.json", `{"type":"object"}`)
	r.Commit()
	r.Put("events/a.v1.json", `{"type":"array"}`)
	for revision, want := range map[string]int{"main": breaking, "nowhere": unreadable} {
		t.Run(revision, func(t *testing.T) {
			var out, complaints bytes.Buffer
			c := command{root: r.Root, today: time.Now(), out: &out, complaints: &complaints}
			check.Equal(t, c.run([]string{"--base", revision}), want, "exit status of --base %s: %s%s", revision, out.String(), complaints.String())
		})
	}
}

// TestCommand_release refuses to release a breaking change.
func TestCommand_release(t *testing.T) {
	t.Parallel()
	r := historytest.NewRepository(t)
	run := func(want int, wantOut string, args ...string) {
		t.Helper()
		var out, complaints bytes.Buffer
		c := command{root: r.Root, today: time.Now(), version: "1.0", out: &out, complaints: &complaints}
		if status := c.run(args); status != want || out.String() != wantOut {
			t.Errorf("%v: status %d, output %q, want %d, %q\n%s", args, status, out.String(), want, wantOut, complaints.String())
		}
	}
	r.Put("events/a.v1.json", `{"type":"object"}`)
	run(compatible, "released 1.0 "+r.Commit()+"\n", "--release")
	run(compatible, "", "--release")
	r.Put("events/a.v1.json", `{"type":"array"}`)
	r.Commit()
	run(breaking, "a.v1 /type keyword-changed breaking \"array\", was \"object\"\n", "--release")
	run(breaking, "a.v1 /type keyword-changed breaking \"array\", was \"object\"\n")
	r.Put("events/a.v1.json", `{"type":"object","properties":{"a":{"type":"string"}}}`)
	run(unreadable, "a.v1 /properties/a member-added compatible\n", "--release")
	r.Put(history.ListFile, "1.0\n")
	run(unreadable, "")
}

const api = `openapi: 3.1.0
info: { title: Rooms, version: "1" }
paths:
  /rooms:
    get:
      operationId: listRooms
      parameters:
        - { name: city, in: query, schema: { type: string, default: Kabul } }
      responses:
        "404": { description: No such city. }
        "200":
          description: The rooms.
          headers:
            X-Total: { schema: { type: integer } }
          content:
            application/json:
              schema:
                type: object
                required: [rooms]
                properties:
                  rooms: { type: integer }
                  kind: { type: string, enum: [single, double] }
  /quotes:
    post:
      operationId: quote
      summary: Quote a stay.
      description: The price holds for a day.
      parameters:
        - { name: lang, in: query, description: Of the answer., schema: { type: string } }
      requestBody:
        content:
          application/json:
            schema:
              type: object
              properties:
                stay: { type: object, properties: { nights: { type: integer } } }
                strict: { type: object, additionalProperties: false, properties: { rate: { type: string } } }
                guest: { $ref: "#/components/schemas/Person" }
      responses:
        "200":
          description: The price.
          content:
            application/json:
              schema:
                type: object
                additionalProperties: false
                properties:
                  total: { type: integer, description: In the smallest unit. }
                  guest: { $ref: "#/components/schemas/Person" }
                  tax: { type: object, unevaluatedProperties: false, properties: { rate: { type: integer } } }
                  fees: { type: object, properties: { city: { type: integer } } }
                  discount: { $ref: "#/components/schemas/Discount" }
components:
  schemas:
    Discount: { type: object, properties: { code: { type: string } } }
    Person:
      type: object
      description: Who stays.
      properties: { name: { type: string } }
`

// TestCommand_openAPI shows that the pinned oasdiff decides about OpenAPI documents.
func TestCommand_openAPI(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, old, new string // the edit of the text
		status         int
		rule           string
	}{
		{"same", "", "", compatible, ""},
		{"response_member_added", "rooms: { type: integer }", "rooms: { type: integer }\n                  beds: { type: integer }", compatible, "response-optional-property-added"},
		{"response_member_removed", "                  kind: { type: string, enum: [single, double] }\n", "", breaking, "response-optional-property-removed"},
		{"response_member_retyped", "rooms: { type: integer }", "rooms: { type: string }", breaking, "response-property-type-changed"},
		{"path_removed", "/rooms:", "/beds:", breaking, "api-path-removed-without-deprecation"},
		{"method_changed", "    get:", "    post:", breaking, "api-removed-without-deprecation"},
		{"status_removed", `"200"`, `"201"`, breaking, "response-success-status-removed"},
		{"parameter_required", "in: query, ", "in: query, required: true, ", breaking, "request-parameter-became-required"},
		{"parameter_added", "schema: { type: string, default: Kabul } }", "schema: { type: string, default: Kabul } }\n        - { name: stars, in: query, schema: { type: integer } }", compatible, "new-optional-request-parameter"},
		{"parameter_default_changed", "default: Kabul", "default: Herat", breaking, "request-parameter-default-value-changed acknowledge"},
		{"header_removed", "          headers:\n            X-Total: { schema: { type: integer } }\n", "", breaking, "optional-response-header-removed breaking"},
		{"problem_removed", `        "404": { description: No such city. }` + "\n", "", breaking, "response-non-success-status-removed acknowledge"},
		{"operation_renamed", "listRooms", "findRooms", breaking, "api-operation-id-removed acknowledge"},
		{"request_closed", "            schema:\n              type: object", "            schema:\n              type: object\n              additionalProperties: false", breaking,
			"POST /quotes content-model-closed breaking requestBody/content/application/json/schema additionalProperties"},
		{"request_member_closed", "stay: { type: object,", "stay: { type: object, additionalProperties: false,", breaking, "schema/properties/stay additionalProperties"},
		{"request_member_closed_otherwise", "stay: { type: object,", "stay: { type: object, unevaluatedProperties: false,", breaking, "content-model-closed breaking"},
		{"request_member_limited", "stay: { type: object,", "stay: { type: object, additionalProperties: { type: string },", breaking, "content-model-closed breaking"},
		{"response_member_still_open", "fees: { type: object,", "fees: { type: object, additionalProperties: true,", compatible, ""},
		{"request_member_opened", "strict: { type: object, additionalProperties: false,", "strict: { type: object,", compatible, "content-model-opened compatible"},
		{"response_closed", "fees: { type: object,", "fees: { type: object, additionalProperties: false,", compatible, "content-model-closed compatible"},
		{"response_opened", "                additionalProperties: false\n", "", breaking, "content-model-opened breaking responses/200/content/application/json/schema additionalProperties"},
		{"response_opened_partly", "                additionalProperties: false\n", "                additionalProperties: { type: string }\n", breaking, "content-model-opened breaking"},
		{"response_member_opened", " unevaluatedProperties: false,", "", breaking, "content-model-opened breaking"},
		{"shared_closed", "      description: Who stays.", "      description: Who stays.\n      additionalProperties: false", breaking, "content-model-closed breaking requestBody"},
		{"shared_response_closed", "Discount: { type: object,", "Discount: { type: object, additionalProperties: false,", compatible, "content-model-closed compatible"},
		{"operation_redefined", "holds for a day", "holds for an hour", breaking, `POST /quotes description-changed acknowledge description "The price holds for an hour."`},
		{"summary_changed", "Quote a stay", "Book a stay", breaking, "description-changed acknowledge summary"},
		{"parameter_redefined", "Of the answer", "Of the guest", breaking, "parameters/query/lang description"},
		{"response_redefined", "The price.", "The tax.", breaking, "responses/200 description"},
		{"member_redefined", "In the smallest unit.", "In the largest unit.", breaking, `schema/properties/total description "In the largest unit."`},
		{"description_removed", " description: Of the answer.,", "", breaking, "description-changed acknowledge"},
		{"description_added", "nights: { type: integer", "nights: { type: integer, description: One at least.", compatible, "description-added compatible"},
		{"unreadable", "openapi: 3.1.0", "openapi: [", unreadable, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			root := folder(t, map[string]string{"old.yaml": api, "new.yaml": strings.Replace(api, test.old, test.new, 1)})
			var out, complaints bytes.Buffer
			c := command{root: root, today: time.Now(), out: &out, complaints: &complaints}
			if status := c.run([]string{filepath.Join(root, "old.yaml"), filepath.Join(root, "new.yaml")}); status != test.status {
				t.Errorf("status %d, want %d\n%s%s", status, test.status, out.String(), complaints.String())
			}
			check.Contains(t, out.String(), test.rule)
		})
	}
}

// TestCommand_openAPISharedText reports the text of a shared schema once, however often the schema is used.
func TestCommand_openAPISharedText(t *testing.T) {
	t.Parallel()
	root := folder(t, map[string]string{"old.yaml": api, "new.yaml": strings.Replace(api, "Who stays.", "Who pays.", 1)})
	var out, complaints bytes.Buffer
	c := command{root: root, today: time.Now(), out: &out, complaints: &complaints}
	status := c.run([]string{filepath.Join(root, "old.yaml"), filepath.Join(root, "new.yaml")})
	want := "/components/schemas/Person description-changed acknowledge description \"Who pays.\"\n"
	if status != breaking || out.String() != want {
		t.Errorf("status %d, output %q, want %d, %q\n%s", status, out.String(), breaking, want, complaints.String())
	}
}
