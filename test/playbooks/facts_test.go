package playbooks

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/scripts/catalogue/deployment"
)

const (
	project = "hotels-prod"
	region  = "me-central1"
	domain  = "melmastoon.example"
)

// A resource is a resource of the cloud or an entry of the log, as JSON.
type resource map[string]any

// facts are what the stand-ins know of the cloud. They are a file, because each command is a process of its own.
type facts struct {
	Folder      string // of this file and of the logs
	Tree        string // the root of the repository
	Front       string // URL of the local system
	Token       string // of its schedules
	Database    string // URL for the jobs
	Owner       string // URL for the job database, whose login may take pg_monitor
	DeadLetters string
	Offset      int64               // of the clock, in nanoseconds
	Resources   map[string]resource // by kind and name, such as "sql instances melmastoon"
	Executions  []resource          // of jobs, the newest first
	Seeks       map[string]string   // the times to which subscriptions were moved back

	deployment deployment.Deployment
}

func readFacts(path string) (*facts, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	f := &facts{}
	if err := json.Unmarshal(text, f); err != nil {
		return nil, err
	}
	text, err = os.ReadFile(filepath.Join(f.Tree, deployment.File))
	if err != nil {
		return nil, err
	}
	return f, json.Unmarshal(text, &f.deployment)
}

func (f *facts) path() string { return filepath.Join(f.Folder, "facts.json") }

// secrets is the folder of the keyrings.
func (f *facts) secrets() string { return filepath.Join(f.Folder, "secrets") }

func (f *facts) save() error {
	text, err := json.Marshal(f)
	if err != nil {
		return err
	}
	return os.WriteFile(f.path(), text, 0o600)
}

func (f *facts) now() time.Time { return time.Now().Add(time.Duration(f.Offset)) }

// find returns a resource, which must be deployed.
func (f *facts) find(kind, name string) (resource, error) {
	if r, ok := f.Resources[kind+" "+name]; ok {
		return r, nil
	}
	function, isFunction := f.deployment.Functions[name]
	switch {
	case kind == "scheduler jobs" && (isFunction && function.Schedule != "" || strings.Contains(name, "-") && f.isJob(name)):
		return resource{"name": name, "state": "ENABLED", "lastAttemptTime": f.now().Format(time.RFC3339), "status": resource{"code": 0}}, nil
	case kind == "pubsub subscriptions" && isFunction && function.Event != nil:
		return resource{"name": "projects/" + project + "/subscriptions/" + name, "ackDeadlineSeconds": function.Event.AckDeadlineSeconds, "topic": function.Event.Subject}, nil
	case kind == "run services" && isFunction:
		return resource{"spec": resource{"template": resource{"metadata": resource{"annotations": resource{"autoscaling.knative.dev/maxScale": strconv.Itoa(function.MaxInstances)}}}}}, nil
	}
	return nil, fmt.Errorf("NOT_FOUND: %s %s", kind, name)
}

// isJob reports whether a job is deployed under this name: with its cadence, or by hand.
func (f *facts) isJob(name string) bool {
	for job, j := range f.deployment.Jobs {
		if name == job && (len(j.Cadences) == 0 || j.ByHand) {
			return true
		}
		for _, cadence := range j.Cadences {
			if name == job+"-"+cadence {
				return true
			}
		}
	}
	return false
}

// program returns the program of a deployed job, and its arguments if a command gives none.
func (f *facts) program(name string) (job string, args []string) {
	job, cadence, found := strings.Cut(name, "-")
	if job == "prune" && found {
		args = []string{cadence}
	}
	return job, args
}

// show prints a resource in one of the formats value(a,b.c) or, without a format, as JSON. A path must exist unless a resource may lack
// it, as entries of the log may.
func show(r resource, format string, strict bool) (string, error) {
	if format == "" {
		text, err := json.Marshal(r, json.Deterministic(true))
		return string(text), err
	}
	paths, isValue := strings.CutPrefix(format, "value(")
	paths, closed := strings.CutSuffix(paths, ")")
	if !isValue || !closed {
		return "", fmt.Errorf("unknown format %q", format)
	}
	var values []string
	for path := range strings.SplitSeq(paths, ",") {
		value, ok := lookUp(r, strings.Split(strings.ReplaceAll(strings.TrimSpace(path), "[]", ""), "."))
		if !ok && strict {
			return "", fmt.Errorf("there is no %s", path)
		}
		values = append(values, words(value))
	}
	return strings.Join(values, "\t"), nil
}

func words(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return v
	case []any:
		var all []string
		for _, each := range v {
			all = append(all, words(each))
		}
		return strings.Join(all, ";")
	}
	text, _ := json.Marshal(value, json.Deterministic(true)) // it was read from JSON
	return string(text)
}

// lookUp returns the value at a path. In a list it returns the values of all elements.
func lookUp(value any, path []string) (any, bool) {
	if len(path) == 0 {
		return value, true
	}
	switch v := value.(type) {
	case resource:
		inner, ok := v[path[0]]
		if !ok {
			return nil, false
		}
		return lookUp(inner, path[1:])
	case map[string]any:
		return lookUp(resource(v), path)
	case []any:
		var all []any
		for _, each := range v {
			if inner, ok := lookUp(each, path); ok {
				all = append(all, inner)
			}
		}
		return all, len(all) > 0
	}
	return nil, false
}

// A call is a parsed command line: the words before the first flag that are no values, and the flags.
type call struct {
	words []string
	flags map[string]string
}

func parse(args []string) call {
	c := call{flags: map[string]string{}}
	for _, arg := range args {
		if name, ok := strings.CutPrefix(arg, "--"); ok {
			name, value, _ := strings.Cut(name, "=")
			c.flags[name] = value
			continue
		}
		c.words = append(c.words, arg)
	}
	return c
}

// check rejects unknown and missing flags. The name of a required flag ends with "!".
func (c call) check(flags []string) error {
	known := map[string]bool{}
	for _, flag := range flags {
		name, required := strings.CutSuffix(flag, "!")
		known[name] = true
		if _, given := c.flags[name]; required && !given {
			return fmt.Errorf("--%s is missing", name)
		}
	}
	for name := range c.flags {
		if !known[name] {
			return fmt.Errorf("unrecognized argument --%s", name)
		}
	}
	for name, want := range map[string]string{"project": project, "region": region, "location": region} {
		if got, given := c.flags[name]; given && got != want {
			return fmt.Errorf("--%s=%s, want %s", name, got, want)
		}
	}
	if slices.Contains(c.words, "") {
		return fmt.Errorf("an empty argument")
	}
	return nil
}
