package history

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"melmastoon.ghasi.io/scripts/schemadiff/evolution"
)

// OpenAPITool is the folder of the module that pins oasdiff, from the root of the tree. oasdiff has a module of its own, because it would
// change the versions of libraries that the functions use.
var OpenAPITool = "test/oasdiff"

// A change is one line of oasdiff's report.
type change struct {
	ID        string `json:"id"`
	Text      string `json:"text"`
	Level     int    `json:"level"` // 3 is an error, 2 a warning
	Operation string `json:"operation"`
	Path      string `json:"path"`
}

// stricter maps changes that oasdiff calls compatible to our verdicts. Clients rely on optional members and headers of responses. A person
// decides about the other changes: the operationId is the name of a method in generated clients, callers branch on statuses, and a default
// changes the meaning of a request without the parameter.
var stricter = map[string]evolution.Verdict{
	"response-optional-property-removed":      evolution.Breaking,
	"optional-response-header-removed":        evolution.Breaking,
	"api-operation-id-removed":                evolution.Acknowledge,
	"response-non-success-status-removed":     evolution.Acknowledge,
	"request-parameter-default-value-changed": evolution.Acknowledge,
	"request-parameter-default-value-added":   evolution.Acknowledge,
	"request-parameter-default-value-removed": evolution.Acknowledge,
	"request-property-default-value-changed":  evolution.Acknowledge,
	"request-property-default-value-added":    evolution.Acknowledge,
	"request-property-default-value-removed":  evolution.Acknowledge,
}

// diffOpenAPI compares two OpenAPI documents with oasdiff. The errors of its changelog are breaking changes; its warnings must be acknowledged.
func diffOpenAPI(older, newer Contract) (found []evolution.Finding, err error) {
	report, err := runTool("changelog", older, newer, "--deprecation-days-stable=90")
	if err != nil {
		return nil, err
	}
	var changes []change
	if err := json.Unmarshal(report, &changes); err != nil {
		return nil, fmt.Errorf("%s: oasdiff's report: %w", newer.Name, err)
	}
	for _, c := range changes {
		f := evolution.Finding{Pointer: c.Path, Rule: evolution.Rule(c.ID), Detail: c.Text, As: evolution.Compatible}
		if c.Operation != "" {
			f.Pointer = c.Operation + " " + c.Path
		}
		switch {
		case c.Level == 3:
			f.As = evolution.Breaking
		case stricter[c.ID] != "":
			f.As = stricter[c.ID]
		case c.Level == 2:
			f.As = evolution.Acknowledge
		}
		found = append(found, f)
	}
	structural, err := diffStructure(older, newer)
	return append(found, structural...), err
}

// runTool returns the report of a command of oasdiff about two documents.
func runTool(name string, older, newer Contract, flags ...string) (report []byte, err error) {
	dir, err := os.MkdirTemp("", "schemadiff")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	files := []string{filepath.Join(dir, "older.yaml"), filepath.Join(dir, "newer.yaml")}
	for i, text := range [][]byte{older.Text, newer.Text} {
		if err := os.WriteFile(files[i], text, 0o600); err != nil {
			return nil, err
		}
	}
	args := append([]string{"-C", OpenAPITool, "tool", "oasdiff", name, files[0], files[1], "--flatten-allof", "--allow-external-refs=false",
		"--format=json"}, flags...)
	command := exec.Command("go", args...)
	command.Env = append(os.Environ(), "GOFLAGS=-mod=readonly", "GOWORK=off")
	var out, complaint bytes.Buffer
	command.Stdout, command.Stderr = &out, &complaint
	if err := command.Run(); err != nil {
		return nil, fmt.Errorf("%s: oasdiff: %w: %s", newer.Name, err, bytes.TrimSpace(complaint.Bytes()))
	}
	return out.Bytes(), nil
}
