package skeleton

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/template"
)

//go:embed templates
var files embed.FS

var templates = template.Must(template.ParseFS(files, "templates/*.tmpl"))

// Kinds of functions.
const (
	httpKind      = "http"
	eventKind     = "event"
	scheduledKind = "scheduled"
)

// data is what the templates print.
type data struct {
	Wish
	Path      string // of the route
	Route     string
	Uses      string
	Title     string // the name, with a capital first letter
	Operation string // operationId
	HasTenant bool   // whether the event's payload has the tenant
}

// paths are the paths below which a service has its routes.
var paths = map[string]string{
	"consumer":      "/bff/consumer/v1/",
	"reservation":   "/api/v1/reservations/",
	"tenantbooking": "/bff/tenant-booking/v1/{tenantSlug}/",
}

// producers are the names of the services in events.
var producers = map[string]string{
	"consumer":      "bff-consumer-service",
	"reservation":   "reservation-service",
	"tenantbooking": "bff-tenant-booking-service",
}

func (w Wish) data() data {
	d := data{Wish: w, Path: paths[w.Service] + w.Name, Uses: "fn.Postgres, fn.Documents", Title: strings.ToUpper(w.Name[:1]) + w.Name[1:], Operation: w.Name}
	if w.Service == "reservation" {
		d.Uses = "fn.Postgres" // its callers have a token and no session
	}
	d.Route = "POST " + d.Path
	return d
}

func (d data) kind() string {
	switch {
	case d.Subject != "":
		return eventKind
	case d.Schedule != "":
		return scheduledKind
	}
	return httpKind
}

// render returns a file of Go.
func render(name string, d data) ([]byte, error) {
	var code bytes.Buffer
	if err := templates.ExecuteTemplate(&code, name, d); err != nil {
		return nil, err
	}
	return format.Source(code.Bytes())
}

// addOperation adds the route at the end of an OpenAPI document's paths.
func addOperation(text string, d data) (string, error) {
	if strings.Contains(text, "\n  "+d.Path+":\n") {
		return "", fmt.Errorf("describes %s already; nothing was written", d.Path)
	}
	if strings.Contains(text, "operationId: "+d.Operation+"\n") {
		return "", fmt.Errorf("has an operation %s already; nothing was written", d.Operation)
	}
	before, after, found := strings.Cut(text, "\ncomponents:\n")
	if !found {
		return "", errors.New("has no components, which come after the paths")
	}
	var operation bytes.Buffer
	if err := templates.ExecuteTemplate(&operation, d.Service+".yaml.tmpl", d); err != nil {
		return "", err
	}
	return strings.TrimRight(before, "\n") + "\n\n" + operation.String() + "\ncomponents:\n" + after, nil
}

var (
	imported = regexp.MustCompile(`(?m)^\t(?:(\w+) )?"melmastoon\.ghasi\.io/(functions/(?:demo/)?(\w+)/(\w+))"$`)
	listed   = regexp.MustCompile(`(?m)^\t(\w+)\.Function,\n`)
)

// addToCatalogue adds the import, and the line between those of the service's other functions, in the order of their folders.
func addToCatalogue(text string, w Wish) (string, error) {
	services, folders, used := map[string]string{}, map[string]string{}, []string{} // of each name
	for _, m := range imported.FindAllStringSubmatch(text, -1) {
		if m[2] == "functions/"+w.Service+"/"+w.Name {
			return "", fmt.Errorf("has %s already; nothing was written", m[2])
		}
		name := m[1]
		if name == "" {
			name = m[4]
		}
		services[name], folders[name], used = m[3], m[4], append(used, name)
	}
	name, line := w.Name, "\t\"melmastoon.ghasi.io/functions/"+w.Service+"/"+w.Name+"\""
	if slices.Contains(used, name) {
		name = w.Service + w.Name
		line = "\t" + name + " " + strings.TrimPrefix(line, "\t")
	}
	at := -1
	for _, m := range listed.FindAllStringSubmatchIndex(text, -1) {
		other := text[m[2]:m[3]]
		switch {
		case services[other] != w.Service:
		case folders[other] < w.Name:
			at = m[1]
		case at < 0:
			at = m[0]
		}
	}
	first := imported.FindStringIndex(text)
	if at < 0 || first == nil {
		return "", fmt.Errorf("lists no function of %s", w.Service)
	}
	text = text[:first[0]] + line + "\n" + text[first[0]:at] + "\t" + name + ".Function,\n" + text[at:]
	code, err := format.Source([]byte(text)) // also sorts the imports
	return string(code), err
}

var consumers = regexp.MustCompile(`"x-consumers": \[([^\]]*)\]`)

// consumedSchema checks the event and returns the change of its schema: the service among the consumers.
func consumedSchema(root string, w Wish, d *data) ([]change, error) {
	path := filepath.Join("schemas", "events", w.Subject+".json")
	text, err := os.ReadFile(filepath.Join(root, path))
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%s does not exist: write the schema and publish the event first, as steps 3 and 6 of CONTRIBUTING.md do; nothing was written", path)
	}
	if err != nil {
		return nil, err
	}
	var schema struct {
		Consumers  []string       `json:"x-consumers"`
		Properties map[string]any `json:"properties"`
	}
	if err := json.Unmarshal(text, &schema); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if err := refuseSecond(root, w); err != nil {
		return nil, err
	}
	_, d.HasTenant = schema.Properties["tenantId"]
	if slices.Contains(schema.Consumers, producers[w.Service]) {
		return nil, nil
	}
	all := slices.Sorted(slices.Values(append([]string{producers[w.Service]}, schema.Consumers...)))
	list := `"x-consumers": ["` + strings.Join(all, `", "`) + `"]`
	return []change{{path: path, content: consumers.ReplaceAllLiteral(text, []byte(list))}}, nil
}

// refuseSecond returns an error if a function of the service consumes the subject already: a service has one subscription of a subject.
func refuseSecond(root string, w Wish) error {
	sources, err := filepath.Glob(filepath.Join(root, "functions", w.Service, "*", "*.go"))
	if err != nil {
		return err
	}
	for _, source := range sources {
		code, err := os.ReadFile(source)
		if err != nil {
			return err
		}
		if !strings.HasSuffix(source, "_test.go") && bytes.Contains(code, []byte(`"`+w.Subject+`"`)) {
			return fmt.Errorf("functions/%s/%s consumes %s already; nothing was written", w.Service, filepath.Base(filepath.Dir(source)), w.Subject)
		}
	}
	return nil
}
