package terraform

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/shared/testkit/check"
)

// An evaluator counts log lines as the metrics of a system say, and tells which of its alerts they raise. It knows as much of Google's
// languages for filters and queries as the configuration uses, and fails on the rest. The lines are those of five minutes that go on for
// as long as an alert asks.
type evaluator struct {
	t     testing.TB
	s     system
	lines []map[string]any
}

// A point is one value of a metric with its labels.
type point struct {
	labels map[string]string
	value  float64
}

// ofLines are the minutes that the lines are of.
const ofLines = 5.0

// entry is a log line as Cloud Logging keeps it: the members that it knows beside the payload.
func entry(line string) map[string]any {
	var payload map[string]any
	if err := json.Unmarshal([]byte(line), &payload); err != nil {
		return nil
	}
	e := map[string]any{"jsonPayload": payload, "resource": map[string]any{"type": "cloud_run_revision", "labels": map[string]any{"service_name": payload["function"]}}}
	for _, own := range []string{"severity", "httpRequest"} {
		if v, ok := payload[own]; ok {
			e[own] = v
			delete(payload, own)
		}
	}
	return e
}

var (
	term       = regexp.MustCompile(`^(NOT )?([A-Za-z_.]+)(=~|!=|>=|=|>|:)(.+)$`)
	oneOf      = regexp.MustCompile(`^one_of\((.*)\)$`)
	startsWith = regexp.MustCompile(`^starts_with\("(.*)"\)$`)
	extract    = regexp.MustCompile(`^EXTRACT\((.*)\)$`)
	extractRE  = regexp.MustCompile(`^REGEXP_EXTRACT\(([A-Za-z_.]+), "(.*)"\)$`)
	summed     = regexp.MustCompile(`sum(?: by \(service\) )?\(increase\(([a-z_:]+)\{(.*?)\}\[(\d+)([mh])\]\)\)`)
	selector   = regexp.MustCompile(`([a-z_]+)(=~|!~|!=|=)"(.*?)"`)
)

// value is the member of an entry at a dotted path, as text.
func value(entry map[string]any, path string) (string, bool) {
	found := at(entry, strings.Split(path, ".")...)
	if len(found) == 0 {
		return "", false
	}
	switch v := found[0].(type) {
	case string:
		return v, true
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), true
	}
	return "", true
}

// matches reports whether a filter, terms joined by AND, holds for what get returns.
func (e evaluator) matches(filter string, get func(path string) (string, bool)) bool {
	for text := range strings.SplitSeq(filter, " AND ") {
		m := term.FindStringSubmatch(text)
		if m == nil {
			e.t.Fatalf("this is beyond the evaluator: %s", text)
		}
		got, there := get(m[2])
		if e.holds(m[3], m[4], got, there) == (m[1] != "") {
			return false
		}
	}
	return true
}

func (e evaluator) holds(operator, want, got string, there bool) bool {
	if m := startsWith.FindStringSubmatch(want); m != nil {
		return strings.HasPrefix(got, m[1])
	}
	if m := oneOf.FindStringSubmatch(want); m != nil {
		return slices.Contains(strings.Split(strings.Trim(m[1], `"`), `", "`), got)
	}
	want = strings.Trim(want, `"`)
	switch operator {
	case "=":
		return there && got == want
	case "!=":
		return got != want
	case "=~":
		return there && regexp.MustCompile(want).MatchString(got)
	case ":":
		return there && (want == "*" || strings.Contains(got, want))
	case ">":
		a, _ := strconv.ParseFloat(got, 64)
		b, err := strconv.ParseFloat(want, 64)
		return there && err == nil && a > b
	}
	e.t.Fatalf("this is beyond the evaluator: %s", operator)
	return false
}

func (e evaluator) extracted(entry map[string]any, extractor string) string {
	if m := extract.FindStringSubmatch(extractor); m != nil {
		v, _ := value(entry, m[1])
		return v
	}
	m := extractRE.FindStringSubmatch(extractor)
	if m == nil {
		e.t.Fatalf("this is beyond the evaluator: %s", extractor)
	}
	v, _ := value(entry, m[1])
	if found := regexp.MustCompile(m[2]).FindStringSubmatch(v); found != nil {
		return found[1]
	}
	return ""
}

// points are the values of a metric: of Cloud Run's own count of answers, or of a log-based one. Others have none here.
func (e evaluator) points(metric string) (points []point) {
	if metric == "run.googleapis.com/request_count" {
		for _, l := range e.lines {
			if status, ok := value(l, "httpRequest.status"); ok {
				name, _ := value(l, "jsonPayload.function")
				points = append(points, point{map[string]string{"resource.type": "cloud_run_revision", "resource.labels.service_name": name,
					"metric.labels.response_code": status, "metric.labels.response_code_class": status[:1] + "xx"}, 1})
			}
		}
	}
	for _, m := range e.s.of("google_logging_metric") {
		if "logging.googleapis.com/user/"+m.first("name") != metric {
			continue
		}
		for _, l := range e.lines {
			if !e.matches(m.first("filter"), func(path string) (string, bool) { return value(l, path) }) {
				continue
			}
			kind, _ := value(l, "resource.type")
			p := point{map[string]string{"resource.type": kind}, 1}
			extractors, _ := m.Arguments["label_extractors"].(map[string]any)
			for label, extractor := range extractors {
				p.labels["metric.labels."+label] = e.extracted(l, extractor.(string))
			}
			if from := m.first("value_extractor"); from != "" {
				p.value, _ = strconv.ParseFloat(e.extracted(l, from), 64)
			}
			points = append(points, p)
		}
	}
	return points
}

// count is the sum of a metric's values that a filter of an alert selects, and how many there are.
func (e evaluator) count(filter string) (sum float64, values []float64) {
	m := regexp.MustCompile(`^metric\.type="([^"]+)"`).FindStringSubmatch(filter)
	if m == nil {
		e.t.Fatalf("this is beyond the evaluator: %s", filter)
	}
	for _, p := range e.points(m[1]) {
		p.labels["metric.type"] = m[1]
		if e.matches(filter, func(path string) (string, bool) { v, ok := p.labels[path]; return v, ok }) {
			sum += p.value
			values = append(values, p.value)
		}
	}
	slices.Sort(values)
	return sum, values
}

// raised are the alerts that are raised, by their names.
func (e evaluator) raised() (names []string) {
	for _, a := range e.s.of("google_monitoring_alert_policy") {
		c := at(a.Arguments, "conditions")[0]
		var over bool
		if query := at(c, "condition_prometheus_query_language", "query"); len(query) > 0 {
			over = e.finds(query[0].(string))
		} else {
			over = e.exceeds(at(c, "condition_threshold")[0].(map[string]any))
		}
		if over {
			names = append(names, strings.TrimSuffix(strings.TrimPrefix(a.Address, "alert["), "].google_monitoring_alert_policy.this[]"))
		}
	}
	return names
}

func (e evaluator) exceeds(threshold map[string]any) bool {
	sum, values := e.count(threshold["filter"].(string))
	limit := threshold["threshold_value"].(float64)
	reducer, _ := at(threshold, "aggregations", "cross_series_reducer")[0].(string)
	switch {
	case len(values) == 0:
		return false
	case reducer == "REDUCE_PERCENTILE_95":
		return values[len(values)*95/100] > limit
	case threshold["denominator_filter"] != nil:
		all, _ := e.count(threshold["denominator_filter"].(string))
		return sum/all > limit
	}
	return sum > limit
}

// finds evaluates a query: sums of increases, compared with each other or with a number. A sum without values is an absence.
func (e evaluator) finds(query string) bool {
	text := summed.ReplaceAllStringFunc(query, func(found string) string {
		m := summed.FindStringSubmatch(found)
		window, _ := strconv.ParseFloat(m[3], 64)
		if m[4] == "h" {
			window *= 60
		}
		sum, there := 0.0, false
		service, name, _ := strings.Cut(m[1], ":")
		metric := strings.Replace(service, "_googleapis_com", ".googleapis.com", 1) + "/" + name
		for _, l := range e.s.of("google_logging_metric") {
			own := "user_" + strings.ReplaceAll(l.first("name"), "/", "_")
			if name == own || name == own+"_sum" {
				metric = "logging.googleapis.com/user/" + l.first("name")
			}
		}
		for _, p := range e.points(metric) {
			if e.selected(m[2], p) {
				sum, there = sum+p.value*window/ofLines, true
			}
		}
		if !there {
			return "absent"
		}
		return strconv.FormatFloat(sum, 'f', -1, 64)
	})
	if parts := strings.Split(text, " and "); len(parts) > 1 {
		return !slices.ContainsFunc(parts, func(part string) bool { return !e.finds(part) })
	}
	switch m := regexp.MustCompile(`^\((\S+) or vector\(0\)\) < (\S+)$`).FindStringSubmatch(text); {
	case m != nil:
		return parsed(m[1]) < parsed(m[2])
	case strings.Contains(text, "absent"):
		return false // a comparison with nothing finds nothing
	}
	if m := regexp.MustCompile(`^(\S+) > (\S+)$`).FindStringSubmatch(text); m != nil {
		return parsed(m[1]) > parsed(m[2])
	}
	m := regexp.MustCompile(`^(\S+) > (\S+) \* (\S+)$`).FindStringSubmatch(text)
	if m == nil {
		e.t.Fatalf("this is beyond the evaluator: %s", text)
	}
	return parsed(m[1]) > parsed(m[2])*parsed(m[3])
}

func parsed(text string) float64 {
	n, _ := strconv.ParseFloat(text, 64) // what is absent is none
	return n
}

func (e evaluator) selected(selectors string, p point) bool {
	for _, m := range selector.FindAllStringSubmatch(selectors, -1) {
		got, want := cmp.Or(p.labels["metric.labels."+m[1]], p.labels["resource.labels."+m[1]]), m[3]
		if m[1] == "monitored_resource" {
			got = p.labels["resource.type"]
		}
		ok := got == want
		if strings.HasSuffix(m[2], "~") {
			ok = regexp.MustCompile("^(?:" + want + ")$").MatchString(got)
		}
		if ok == strings.HasPrefix(m[2], "!") {
			return false
		}
	}
	return true
}

// healthy are lines of five minutes in which all is well, by function: one tick a minute, and ten calls of whatever is called.
func (w configCopy) healthy() map[string][]string {
	lines := map[string][]string{}
	for name, f := range w.catalogue().Functions {
		n, status := 10, 200
		if f.Kind == "scheduled" {
			n, status = 5, 204
		}
		for range n {
			lines[name] = append(lines[name], fmt.Sprintf(`{"severity":"INFO","function":%q,"httpRequest":{"status":%d,"latency":"0.012000s"}}`, name, status))
		}
	}
	return lines
}

// TestAlerts evaluates the alerts' own filters over lines that functions have written in trouble: one cause raises one alert.
func TestAlerts(t *testing.T) {
	t.Parallel()
	s, w := ofTheProduction.system(t), open(t)
	troubles, d := record(t), w.catalogue()
	for _, test := range []struct {
		name string
		// change turns the healthy lines into those of the trouble.
		change func(lines map[string][]string)
		want   []string // alerts
	}{
		{"all_is_well", func(map[string][]string) {}, nil},
		{"parked_row", replaced(troubles["parked"], "reservation-relay"), []string{"outbox"}},
		{"parked_operational", replaced(troubles["parked operational"], "reservation-relay"), []string{"outbox-operational"}},
		{"large_outbox", replaced(troubles["large outbox"], "reservation-relay"), []string{"outbox-rows"}},
		{"outbox_below_the_limit", replaced(troubles["growing outbox"], "reservation-relay"), nil},
		{"stuck_step", replaced(troubles["stuck step"], "reservation-watchsagas"), []string{"saga-stuck"}},
		{"stuck_draft", replaced(troubles["stuck draft"], "tenantbooking-sweepdrafts"), []string{"draft-stuck"}},
		{"manual_key", added(troubles["manual key"], "reservation-keyfailed"), []string{"manual-keys"}},
		{"room_without_alternative", added(troubles["no other room"], "reservation-roomoutoforder"), []string{"rooms-without-alternative"}},
		{"dead_relay_that_fails", replaced(troubles["dead relay"], "reservation-relay"), []string{"progress-reservation-relay"}},
		{"dead_relay_that_is_not_ticked", replaced("", "reservation-relay"), []string{"progress-reservation-relay"}},
		{"no_database", everywhere(troubles["no database"], func(name string) bool { return d.Functions[name].Postgres }), []string{"away-store", "away-store-slow"}},
		{"bad_release_that_panics", replaced(troubles["bad release"], "reservation-quote"), []string{"errors-reservation", "errors-reservation-slow"}},
		{"bad_release_that_does_not_start", func(lines map[string][]string) {
			lines["reservation-quote"] = []string{`{"severity":"CRITICAL","function":"reservation-quote","message":"reservation-quote does not start: HANDOFF_KEYS is not set"}`}
		}, []string{"starts"}},
		{"no_upstream", everywhere(troubles["no upstream"], func(name string) bool { return slices.Contains(d.Functions[name].Upstreams, "pricing") }), []string{"away-neighbour", "away-neighbour-slow"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			lines := w.healthy()
			maps.DeleteFunc(lines, func(name string, _ []string) bool {
				return strings.HasPrefix(name, "sandbox-") || strings.HasPrefix(name, "storefront-") || strings.HasPrefix(name, "frontdesk-")
			})
			test.change(lines)
			e := evaluator{t: t, s: s}
			for _, of := range lines {
				for _, line := range of {
					if read := entry(line); read != nil {
						e.lines = append(e.lines, read)
					}
				}
			}
			// Jobs have other lines: here none has ever succeeded.
			var jobs, got []string
			for _, name := range e.raised() {
				if strings.HasPrefix(name, "progress-prune-") || strings.HasPrefix(name, "progress-erase-") || strings.HasPrefix(name, "progress-keys-") || name == "probe" {
					jobs = append(jobs, name)
				} else {
					got = append(got, name)
				}
			}
			if want := []string{"probe", "progress-erase-daily", "progress-keys-daily", "progress-prune-daily", "progress-prune-hourly", "progress-prune-weekly"}; !slices.Equal(jobs, want) {
				t.Errorf("jobs without a success raised %v, want %v", jobs, want)
			}
			slices.Sort(got)
			check.Equal(t, got, test.want, "raised alerts; recorded: %s", troubles)
		})
	}
}

// TestAlerts_jobs checks when the alert of each scheduled job is raised: after the specified time without success, which is longer
// than the interval of its schedule.
func TestAlerts_jobs(t *testing.T) {
	t.Parallel()
	want := map[string]struct{ every, silent time.Duration }{
		`^\*/5 \* \* \* \*$`:          {5 * time.Minute, 17 * time.Minute},
		`^[0-9]+ \* \* \* \*$`:        {time.Hour, 3 * time.Hour},
		`^[0-9]+ [0-9]+ \* \* \*$`:    {24 * time.Hour, 26 * time.Hour},
		`^[0-9]+ [0-9]+ \* \* [0-6]$`: {7 * 24 * time.Hour, 8 * 24 * time.Hour},
	}
	s := ofTheProduction.system(t)
	jobs := 0
	for _, a := range s.of("google_monitoring_alert_policy") {
		query, lasting := a.first("conditions", "condition_prometheus_query_language", "query"), a.first("conditions", "condition_prometheus_query_language", "duration")
		name := regexp.MustCompile(`job_name="([^"]+)"`).FindStringSubmatch(query)
		if name == nil {
			continue
		}
		jobs++
		i := slices.IndexFunc(s.of("google_cloud_scheduler_job"), func(r resource) bool { return r.first("name") == name[1] })
		if i < 0 {
			t.Errorf("%s has no schedule", name[1])
			continue
		}
		schedule := s.of("google_cloud_scheduler_job")[i].first("schedule")
		window := check.Got(time.ParseDuration(summed.FindStringSubmatch(query)[3] + summed.FindStringSubmatch(query)[4])).Must(t)
		retest := check.Got(time.ParseDuration(lasting)).Must(t)
		known := false
		for pattern, w := range want {
			if !regexp.MustCompile(pattern).MatchString(schedule) {
				continue
			}
			known = true
			if window <= w.every || window+retest != w.silent {
				t.Errorf("%s runs every %v, and its alert looks back %v for %v, want %v together", name[1], w.every, window, retest, w.silent)
			}
		}
		if !known {
			t.Errorf("%s runs at %q", name[1], schedule)
		}
	}
	check.Equal(t, jobs, 6, "jobs with an alert about their progress")
}

// replaced puts one line in the place of each of a function's.
func replaced(line, function string) func(map[string][]string) {
	return func(lines map[string][]string) {
		for i := range lines[function] {
			lines[function][i] = line
		}
	}
}

// added puts one line beside those of a function.
func added(line, function string) func(map[string][]string) {
	return func(lines map[string][]string) { lines[function] = append(lines[function], line) }
}

// everywhere is the trouble of all functions that are of a sort.
func everywhere(line string, of func(name string) bool) func(map[string][]string) {
	return func(lines map[string][]string) {
		for name := range lines {
			if of(name) {
				replaced(strings.ReplaceAll(line, "reservation-quote", name), name)(lines)
			}
		}
	}
}
