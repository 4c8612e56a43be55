package architecture

import (
	"io/fs"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"melmastoon.ghasi.io"
	"melmastoon.ghasi.io/schemas"
	eventschemas "melmastoon.ghasi.io/schemas/events"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// folders returns the names of the deployed functions: the folders functions/<service>/<function> that declare a Function.
func folders(t *testing.T) []string {
	t.Helper()
	var names []string
	for _, s := range sources(t) {
		service, name, ok := function(s.pkg)
		if ok && name != "" && s.file.Scope.Lookup("Function") != nil {
			names = append(names, service+"-"+strings.ReplaceAll(name, "/", "-"))
		}
	}
	slices.Sort(names)
	return names
}

// TestCatalogue_listsEveryFunction wants the functions of all folders in the catalogue, in the order of their names.
func TestCatalogue_listsEveryFunction(t *testing.T) {
	t.Parallel()
	var listed []string
	for _, f := range melmastoon.Functions {
		listed = append(listed, f.Spec.Name)
	}
	if found := folders(t); !slices.Equal(found, listed) {
		t.Errorf("folders  %v\ncatalogue %v", found, listed)
	}
}

func TestSubjects_haveSchemas(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	for _, f := range melmastoon.Functions {
		if f.Spec.Subject != "" {
			used[f.Spec.Subject] = true
		}
		for _, s := range f.Spec.Publishes {
			used[s.Name] = true
		}
	}
	entries := check.Got(fs.ReadDir(eventschemas.Files, ".")).Must(t)
	for _, e := range entries {
		subject := strings.TrimSuffix(e.Name(), ".json")
		if !used[subject] {
			t.Errorf("schemas/events/%s: no function publishes or consumes it", e.Name())
		}
		delete(used, subject)
	}
	for subject := range used {
		t.Errorf("%s has no file in schemas/events", subject)
	}
}

// TestRelays_publishTheirService: the relay of a service publishes the events of all its functions, and its Spec lists them.
func TestRelays_publishTheirService(t *testing.T) {
	t.Parallel()
	declared, relayed := map[string][]string{}, map[string][]string{}
	for _, f := range melmastoon.Functions {
		service, name, _ := strings.Cut(f.Spec.Name, "-")
		of := declared
		if name == "relay" {
			of = relayed
		}
		for _, s := range f.Spec.Publishes {
			if !slices.Contains(of[service], s.Name) {
				of[service] = append(of[service], s.Name)
			}
		}
	}
	if len(relayed) == 0 {
		t.Error("no relay found")
	}
	for service := range declared {
		slices.Sort(declared[service])
		slices.Sort(relayed[service])
		if !slices.Equal(declared[service], relayed[service]) {
			t.Errorf("%s\nits functions publish %v\nits relay publishes   %v", service, declared[service], relayed[service])
		}
	}
}

// operationID matches the name that generated clients give to an operation.
var operationID = regexp.MustCompile(`^[a-z]+([A-Z][a-z]+)*$`)

// An operation is one route of an OpenAPI document.
type operation struct {
	ID       string `yaml:"operationId"`
	Function string `yaml:"x-function"`
}

func documented(t *testing.T, service string) map[string]operation {
	t.Helper()
	text := check.Got(schemas.HTTP.ReadFile("http/" + service + ".yaml")).Must(t)
	var doc struct {
		Paths map[string]map[string]yaml.Node `yaml:"paths"`
	}
	check.Must(t, yaml.Unmarshal(text, &doc))
	routes := map[string]operation{}
	for path, methods := range doc.Paths {
		for method, node := range methods {
			var op operation
			if slices.Contains([]string{"get", "put", "post", "patch", "delete"}, method) {
				check.Must(t, node.Decode(&op))
				routes[strings.ToUpper(method)+" "+path] = op
			}
		}
	}
	return routes
}

func TestOpenAPI_hasTheRoutesOfTheCatalogue(t *testing.T) {
	t.Parallel()
	services := map[string]map[string]operation{}
	for _, f := range melmastoon.Functions {
		service, _, _ := strings.Cut(f.Spec.Name, "-")
		if services[service] == nil {
			services[service] = documented(t, service)
		}
		if f.Spec.Subject != "" || f.Spec.Schedule != "" {
			continue
		}
		op, ok := services[service][f.Spec.Route]
		if !ok {
			t.Errorf("%s: schemas/http/%s.yaml does not have %s", f.Spec.Name, service, f.Spec.Route)
		} else if op.Function != f.Spec.Name {
			t.Errorf("%s: its x-function is %q", f.Spec.Name, op.Function)
		} else if !operationID.MatchString(op.ID) {
			t.Errorf("%s: its operationId is %q, want a name in camel case that a program can call", f.Spec.Name, op.ID)
		}
		delete(services[service], f.Spec.Route)
	}
	for service, left := range services {
		for route := range left {
			t.Errorf("schemas/http/%s.yaml has %s, which no function serves", service, route)
		}
	}
}

func TestSpecs_areComplete(t *testing.T) {
	t.Parallel()
	for _, f := range melmastoon.Functions {
		for _, problem := range incomplete(f.Spec) {
			t.Errorf("%s: %s", f.Spec.Name, problem)
		}
	}
}

func incomplete(s fn.Spec) (problems []string) {
	if s.Subject != "" && s.DeadLetter == "" {
		problems = append(problems, "has no dead-letter topic: events that can never be handled would be lost")
	}
	writes := strings.HasPrefix(s.Route, "POST") && strings.HasPrefix(s.Route[5:], "/api/")
	if writes && !s.Idempotent {
		problems = append(problems, "is a write without an idempotency key")
	}
	if reflect.DeepEqual(s.Uses, fn.Uses(nil)) {
		problems = append(problems, "declares no Uses: its permissions derive from them")
	}
	return problems
}

// wildcard is a wildcard of a route. Its name does not matter for the load balancer.
var wildcard = regexp.MustCompile(`\{[^}]*\}`)

// TestSiblings_ofEachPath compares the methods that a 405 answer lists with those of the path. The load balancer sends a method that no
// function of a path serves to the function of its alphabetically first method.
func TestSiblings_ofEachPath(t *testing.T) {
	t.Parallel()
	paths, shared := map[string][]string{}, 0
	for _, f := range melmastoon.Functions {
		method, path, _ := strings.Cut(wildcard.ReplaceAllString(f.Spec.Route, "*"), " ")
		paths[path] = append(paths[path], method)
		slices.Sort(paths[path])
	}
	for _, f := range melmastoon.Functions {
		method, path, _ := strings.Cut(wildcard.ReplaceAllString(f.Spec.Route, "*"), " ")
		var want []string
		if all := paths[path]; path != "" && all[0] == method {
			want = all[1:]
		}
		if shared += len(want); !slices.Equal(f.Spec.Siblings, want) {
			t.Errorf("%s has the siblings %q, want %q", f.Spec.Name, f.Spec.Siblings, want)
		}
	}
	if shared == 0 {
		t.Error("no path has several functions, so nothing was compared")
	}
}
