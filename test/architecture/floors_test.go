package architecture

import (
	"slices"
	"strings"
	"testing"
)

// floors are the rooms of shared/, lowest first. A room imports only rooms of lower floors, and rooms inside itself.
var floors = [][]string{
	{"fault", "env", "id", "money", "stay", "keyring", "locale", "child"}, // the standard library and no SDK
	{"event", "contract", "handoff", "pseudonym"},                         // what crosses a border
	{"identity", "postgres", "topic", "document", "visit"},                // one outside system each
	{"outbox", "inbox", "upstream", "identity/google", "topic/push", "topic/bus", "topic/pubsub", "topic/pubsub/emulated", "document/pg", "document/firestore", "document/redis", "cache", "flags", "postgres/migrate", "postgres/cluster", "postgres/cloudsql", "emulators"}, // what is built on them
	{"fn", "fn/idempotency", "fn/limit", "fn/observe"}, // what a function stands on
	{"instance"}, // a function as a process
}

// testRoom reports whether a package is there for tests: it is named so, and what ships must not carry it.
func testRoom(path string) bool { return strings.HasSuffix(path, "test") }

func floorOf(room string) int {
	return slices.IndexFunc(floors, func(rooms []string) bool { return slices.Contains(rooms, room) })
}

func shared(importPath string) (room string, ok bool) {
	return strings.CutPrefix(importPath, module+"/shared/")
}

func TestRoomsImportOnlyLowerFloors(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, p := range packages(t) {
		room, ok := shared(p.ImportPath)
		if !ok || testRoom(room) {
			continue
		}
		seen[room] = true
		floor := floorOf(room)
		if floor < 0 {
			t.Errorf("shared/%s stands on no floor: give it one in floors, or merge it into the room it serves", room)
		}
		for _, imported := range p.Imports {
			if bad := breach(room, floor, imported); bad != "" {
				t.Error(bad)
			}
		}
	}
	for _, rooms := range floors {
		for _, room := range rooms {
			if !seen[room] {
				t.Errorf("floors names shared/%s, which does not exist", room)
			}
		}
	}
}

func breach(room string, floor int, imported string) string {
	other, ok := shared(imported)
	inner, _, _ := strings.Cut(room, "/")
	switch {
	case strings.HasPrefix(imported, module) && !ok && imported != module+"/schemas":
		return "shared/" + room + " imports " + imported + ": the shared rooms know no service"
	case !ok, strings.HasPrefix(other, room+"/"), strings.HasPrefix(other, inner+"/") && floorOf(other) <= floor:
		return ""
	case floorOf(other) >= floor:
		return "shared/" + room + " imports shared/" + other + ", which is not on a lower floor"
	}
	return ""
}

func TestTestRoomsStayInTests(t *testing.T) {
	t.Parallel()
	matched := 0
	for _, p := range packages(t) {
		if testRoom(p.path()) || p.inside("test") {
			matched++
			continue
		}
		for _, imported := range p.Imports {
			if path, ours := strings.CutPrefix(imported, module+"/"); ours && (testRoom(path) || strings.HasPrefix(path, "test/")) {
				t.Errorf("%s imports %s outside a test", p.ImportPath, imported)
			}
		}
	}
	if matched == 0 {
		t.Error("no test room found")
	}
}

func TestServicesMeetOverHTTPAndEventsOnly(t *testing.T) {
	t.Parallel()
	verbs := 0
	for _, p := range packages(t) {
		service, verb, ok := function(p)
		if !ok {
			continue
		}
		if verb != "" {
			verbs++
		}
		for _, imported := range p.Imports {
			other, isFunction := strings.CutPrefix(imported, module+"/functions/")
			if !isFunction || other == service {
				continue
			}
			if p.path() == "functions/sandbox/demo" && other == "sandbox" {
				continue
			}
			t.Errorf("%s imports functions/%s: a verb knows its own service's nouns and nobody else's", p.ImportPath, other)
		}
	}
	if verbs == 0 {
		t.Error("no verb found")
	}
}

// function splits functions/<service>[/<verb>].
func function(p pkg) (service, verb string, ok bool) {
	rest, ok := strings.CutPrefix(p.path(), "functions/")
	if !ok {
		return "", "", false
	}
	service, verb, _ = strings.Cut(rest, "/")
	return service, verb, true
}
