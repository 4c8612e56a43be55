package architecture

import (
	"slices"
	"strings"
	"testing"
)

// A layer is a set of packages below shared/. Its packages import packages of lower layers and packages inside themselves.
type layer struct {
	name     string
	packages []string
}

// layers lists all packages below shared/ except those of shared/testkit, lowest layer first (ARCHITECTURE.md, "The tree").
var layers = []layer{
	{"library: values", []string{"fault", "id", "money", "stay", "keyring", "locale", "freetext"}},
	{"library: messages", []string{"event", "handoff", "pseudonym"}},
	{"library: attribution", []string{"event/attribution"}},
	{"platform: configuration and clock", []string{"platform/env", "platform/forward"}},
	{"platform: secrets and adapters", []string{"platform/secrets", "platform/contract", "platform/identity", "platform/postgres", "platform/topic", "platform/document"}},
	{"platform: drivers, messaging and caching", []string{
		"platform/cache", "platform/document/firestore", "platform/document/redis", "platform/flags",
		"platform/identity/google", "platform/inbox", "platform/outbox", "platform/postgres/cloudsql", "platform/postgres/migrate",
		"platform/topic/pubsub", "platform/upstream",
	}},
	{"platform: function runtime", []string{"platform/fn", "platform/fn/decode", "platform/fn/idempotency", "platform/fn/observe", "platform/fn/ratelimit"}},
	{"platform: process", []string{"platform/fn/process"}},
	{"local: programs and pushes", []string{"local/edge", "local/subprocess", "local/push", "local/setup", "local/signing"}},
	{"local: stand-ins", []string{"local/bus", "local/cluster", "local/documents", "local/emulators"}},
	{"local: emulated Pub/Sub", []string{"local/emulated"}},
}

// testkit reports whether a package may be imported by tests only: it is in shared/testkit, or a service's own, named
// <service>test.
func testkit(path string) bool {
	return strings.HasPrefix(path, "shared/testkit/") || strings.HasSuffix(path, "test")
}

// layerOf returns the index in layers of a package below shared/, or -1.
func layerOf(path string) int {
	return slices.IndexFunc(layers, func(l layer) bool { return slices.Contains(l.packages, path) })
}

// belowShared returns the import path without its prefix if the package is below shared/.
func belowShared(importPath string) (path string, ok bool) {
	return strings.CutPrefix(importPath, module+"/shared/")
}

func TestLayers_importsPointDown(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, p := range packages(t) {
		path, ok := belowShared(p.ImportPath)
		if !ok || testkit(p.path()) || len(p.GoFiles) == 0 {
			continue
		}
		seen[path] = true
		if layerOf(path) < 0 {
			t.Errorf("shared/%s has no layer: add it to layers, or merge it into the package that it serves", path)
		}
		for _, imported := range p.Imports {
			if fault := layerFault(path, imported); fault != "" {
				t.Error(fault)
			}
		}
	}
	for _, l := range layers {
		for _, path := range l.packages {
			if !seen[path] {
				t.Errorf("layers names shared/%s, which does not exist", path)
			}
		}
	}
}

// layerFault returns why a package below shared/ must not import another package, or "".
func layerFault(path, imported string) string {
	other, ok := belowShared(imported)
	switch {
	case strings.HasPrefix(imported, module) && !ok && imported != module+"/schemas" && !strings.HasPrefix(imported, module+"/schemas/"):
		return "shared/" + path + " imports " + imported + ": packages below shared/ know no service"
	case !ok, strings.HasPrefix(other, path+"/"):
		return ""
	case layerOf(other) >= layerOf(path):
		return "shared/" + path + " imports shared/" + other + ", which is not in a lower layer"
	}
	return ""
}

func TestLayerFault(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, path, imported string
		fault                bool
	}{
		{"a value imports a message", "money", module + "/shared/event", true},
		{"the library imports the platform", "handoff", module + "/shared/platform/env", true},
		{"the platform imports a laptop's package", "platform/topic", module + "/shared/local/bus", true},
		{"a package imports a service", "platform/fn", module + "/functions/consumer", true},
		{"a message imports a value", "event", module + "/shared/id", false},
		{"a package imports one inside itself", "platform/fn", module + "/shared/platform/fn/observe", false},
		{"an outside package", "platform/fn", "net/http", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := layerFault(test.path, test.imported); (got != "") != test.fault {
				t.Errorf("got %q, want a fault: %t", got, test.fault)
			}
		})
	}
}

// TestLocal_isNotDeployed holds that packages of a laptop's run reach scripts, tests and each other only.
func TestLocal_isNotDeployed(t *testing.T) {
	t.Parallel()
	matched := 0
	for _, p := range packages(t) {
		for _, imported := range p.Imports {
			if !strings.HasPrefix(imported, module+"/shared/local/") {
				continue
			}
			matched++
			if !p.inside("scripts") && !p.inside("test") && !p.inside("shared/local") && !testkit(p.path()) {
				t.Errorf("%s imports %s: it would be deployed", p.ImportPath, imported)
			}
		}
	}
	if matched == 0 {
		t.Error("no package imports one of shared/local")
	}
}

func TestTestkit_isForTestsOnly(t *testing.T) {
	t.Parallel()
	matched := 0
	for _, p := range packages(t) {
		if testkit(p.path()) || p.inside("test") {
			matched++
			continue
		}
		for _, imported := range p.Imports {
			if path, ours := strings.CutPrefix(imported, module+"/"); ours && (testkit(path) || strings.HasPrefix(path, "test/")) {
				t.Errorf("%s imports %s outside a test", p.ImportPath, imported)
			}
		}
	}
	if matched == 0 {
		t.Error("no package for tests found")
	}
}

// TestServices_importsPointDown holds the imports among packages below functions/, those of tests included.
func TestServices_importsPointDown(t *testing.T) {
	t.Parallel()
	domains := 0
	for _, p := range packages(t) {
		if !p.inside("functions") || testkit(p.path()) {
			continue
		}
		if strings.Contains(p.path(), "/internal/") {
			domains++
		}
		for _, imported := range p.Imports {
			if fault := serviceFault(p.path(), imported); fault != "" {
				t.Error(fault)
			}
		}
		for _, imported := range slices.Concat(p.TestImports, p.XTestImports) {
			if fault := serviceFault(p.path(), imported); fault != "" && strings.Contains(p.path(), "/internal/") {
				t.Errorf("a test of %s", fault)
			}
		}
	}
	if domains == 0 {
		t.Error("no domain package found")
	}
}

// serviceFault returns why a package below functions/ must not import another package, or "". Imports go from function to
// boundary to domain. The compiler rejects imports of another service's internal packages; the rule names the reason.
func serviceFault(path, imported string) string {
	other, ok := strings.CutPrefix(imported, module+"/functions/")
	if !ok {
		return ""
	}
	service, name := cutService(strings.TrimPrefix(path, "functions/"))
	otherService, otherName := cutService(other)
	switch {
	case strings.HasPrefix(other, "demo/internal/"):
		return "" // shared by the sites of the demonstration; the compiler rejects it elsewhere
	case otherService != service:
		return path + " imports functions/" + other + ": services communicate over HTTP and events"
	case strings.HasPrefix(otherName, "internal/"):
		return ""
	case strings.HasPrefix(name, "internal/"):
		return path + " imports functions/" + other + ": a domain package imports only domain packages of its service"
	case otherName != "":
		return path + " imports functions/" + other + ": only the catalogue imports a function"
	}
	return ""
}

func TestServiceFault(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, path, imported string
		fault                bool
	}{
		{"domain_imports_boundary", "functions/reservation/internal/booking", "/functions/reservation", true},
		{"domain_imports_function", "functions/reservation/internal/booking", "/functions/reservation/hold", true},
		{"boundary_imports_function", "functions/reservation", "/functions/reservation/hold", true},
		{"function_imports_function", "functions/reservation/hold", "/functions/reservation/quote", true},
		{"function_imports_other_boundary", "functions/consumer/search", "/functions/reservation", true},
		{"function_imports_other_domain", "functions/consumer/search", "/functions/reservation/internal/booking", true},
		{"boundary_imports_other_boundary", "functions/consumer", "/functions/consumers", true},
		{"demo_imports_service", "functions/demo/sandbox", "/functions/reservation", true},
		{"demo_imports_other_demo", "functions/demo/storefront/pay", "/functions/demo/sandbox", true},
		{"demo_function_imports_function", "functions/demo/sandbox/pay", "/functions/demo/sandbox/quote", true},
		{"site_imports_page", "functions/demo/storefront", "/functions/demo/internal/page", false},
		{"page_imports_site", "functions/demo/internal/page", "/functions/demo/storefront", true},
		{"demo_function_imports_boundary", "functions/demo/sandbox/pay", "/functions/demo/sandbox", false},
		{"function_imports_boundary", "functions/reservation/hold", "/functions/reservation", false},
		{"function_imports_domain", "functions/reservation/hold", "/functions/reservation/internal/booking", false},
		{"boundary_imports_domain", "functions/reservation", "/functions/reservation/internal/booking", false},
		{"domain_imports_domain", "functions/consumer/internal/search", "/functions/consumer/internal/session", false},
		{"domain_imports_platform", "functions/reservation/internal/booking", "/shared/platform/postgres", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := serviceFault(test.path, module+test.imported); (got != "") != test.fault {
				t.Errorf("serviceFault(%q, %q) = %q, want a fault: %t", test.path, test.imported, got, test.fault)
			}
		})
	}
}

// function splits functions/[demo/]<service>[/<name>]. The packages of functions/demo/internal belong to no service.
func function(p pkg) (service, name string, ok bool) {
	rest, ok := strings.CutPrefix(p.path(), "functions/")
	if !ok {
		return "", "", false
	}
	service, name = cutService(rest)
	return service, name, service != "internal"
}

// cutService splits a path below functions/ after the service. The services of the demonstration are one folder deeper.
func cutService(path string) (service, name string) {
	service, name, _ = strings.Cut(strings.TrimPrefix(path, "demo/"), "/")
	return service, name
}
