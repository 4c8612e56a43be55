package playbooks

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

// functionEntry returns a line of a function as an entry of Cloud Logging, which takes some members out of the payload.
func functionEntry(line []byte, now time.Time) (resource, error) {
	payload := resource{}
	if err := json.Unmarshal(line, &payload); err != nil {
		return nil, err
	}
	e := resource{"resource": resource{"type": "cloud_run_revision", "labels": resource{"service_name": payload["function"]}}, "timestamp": now.Format(time.RFC3339Nano)}
	for from, to := range map[string]string{"time": "timestamp", "severity": "severity", "httpRequest": "httpRequest", "logging.googleapis.com/trace": "trace"} {
		if value, ok := payload[from]; ok {
			e[to] = value
			delete(payload, from)
		}
	}
	e["jsonPayload"] = payload
	return e, nil
}

// jobEntry returns a line of a job as an entry. A line of JSON is its payload.
func jobEntry(job, line string, now time.Time) resource {
	e := resource{"resource": resource{"type": "cloud_run_job", "labels": resource{"job_name": job}}, "timestamp": now.Format(time.RFC3339Nano), "severity": "DEFAULT"}
	payload := resource{}
	if err := json.Unmarshal([]byte(line), &payload); err != nil {
		e["textPayload"] = line
		return e
	}
	if severity, ok := payload["severity"]; ok {
		e["severity"] = severity
	}
	e["jsonPayload"] = payload
	return e
}

// entries reads the log, the oldest first.
func (f *facts) entries() (all []resource, err error) {
	for _, file := range []string{"functions.log", "jobs.log"} {
		text, err := os.ReadFile(filepath.Join(f.Folder, file))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(text)) {
			e := resource{}
			if file == "jobs.log" {
				err = json.Unmarshal([]byte(line), &e)
			} else {
				e, err = functionEntry([]byte(line), f.now())
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w in %s", file, err, line)
			}
			all = append(all, e)
		}
	}
	slices.SortStableFunc(all, func(a, b resource) int { return at(a).Compare(at(b)) })
	return all, nil
}

func at(e resource) time.Time {
	t, _ := time.Parse(time.RFC3339Nano, words(e["timestamp"])) // entries are written by this package
	return t
}

func readLog(f *facts, c call) error {
	matches, err := parseFilter(c.words[0])
	if err != nil {
		return err
	}
	fresh, err := time.ParseDuration(c.flags["freshness"])
	if err != nil {
		return err
	}
	all, err := f.entries()
	if err != nil {
		return err
	}
	switch c.flags["order"] {
	case "", "desc":
		slices.Reverse(all)
	case "asc":
	default:
		return fmt.Errorf("--order=%s", c.flags["order"])
	}
	var lines []string
	for _, e := range all {
		if at(e).Before(f.now().Add(-fresh)) || !matches(e) {
			continue
		}
		line, err := show(e, c.flags["format"], false)
		if err != nil {
			return err
		}
		lines = append(lines, line)
	}
	return limited(c, lines)
}

// comparison is one comparison of a filter. A field and a quoted value may contain any character but a quotation mark.
var comparison = regexp.MustCompile(`^([A-Za-z_.]+)\s*(=~|!~|!=|>=|<=|=|>|<|:)\s*("[^"]*"|[A-Za-z0-9.]+|\*)$`)

// parseFilter parses the part of the query language that the pages use: comparisons joined by AND.
func parseFilter(filter string) (func(resource) bool, error) {
	var all []func(resource) bool
	for part := range strings.SplitSeq(filter, " AND ") {
		m := comparison.FindStringSubmatch(strings.TrimSpace(part))
		if m == nil {
			return nil, fmt.Errorf("unparseable filter: %q", part)
		}
		path, op, value := strings.Split(m[1], "."), m[2], strings.Trim(m[3], `"`)
		if !slices.Contains([]string{"resource", "jsonPayload", "textPayload", "httpRequest", "severity", "timestamp", "trace"}, path[0]) {
			return nil, fmt.Errorf("an entry has no %s", path[0])
		}
		compare, err := comparing(op, value, path[0] == "severity")
		if err != nil {
			return nil, err
		}
		all = append(all, func(e resource) bool {
			got, ok := lookUp(e, path)
			return ok && compare(words(got))
		})
	}
	return func(e resource) bool {
		return !slices.ContainsFunc(all, func(matches func(resource) bool) bool { return !matches(e) })
	}, nil
}

var severities = []string{"DEFAULT", "DEBUG", "INFO", "NOTICE", "WARNING", "ERROR", "CRITICAL"}

func comparing(op, want string, severity bool) (func(string) bool, error) {
	switch op {
	case "=":
		return func(got string) bool { return got == want }, nil
	case "!=":
		return func(got string) bool { return got != want }, nil
	case "=~", "!~":
		pattern, err := regexp.Compile(want)
		if err != nil {
			return nil, err
		}
		return func(got string) bool { return pattern.MatchString(got) == (op == "=~") }, nil
	case ":":
		return func(got string) bool { return want == "*" || strings.Contains(got, want) }, nil
	}
	number := func(text string) (float64, bool) {
		if severity {
			at := slices.Index(severities, text)
			return float64(at), at >= 0
		}
		if d, err := time.ParseDuration(text); err == nil {
			return d.Seconds(), true
		}
		n, err := strconv.ParseFloat(text, 64)
		return n, err == nil
	}
	limit, ok := number(want)
	if !ok {
		return nil, fmt.Errorf("no order for %q", want)
	}
	return func(text string) bool {
		got, ok := number(text)
		if !ok {
			return false
		}
		switch op {
		case ">":
			return got > limit
		case ">=":
			return got >= limit
		case "<":
			return got < limit
		}
		return got <= limit
	}, nil
}
