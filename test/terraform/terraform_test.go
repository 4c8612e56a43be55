package terraform

import (
	"os"
	"strings"
	"testing"
)

func TestConfiguration_formatted(t *testing.T) {
	t.Parallel()
	need(t)
	if out, err := open(t).run("fmt", "-check", "-recursive", "-no-color"); err != nil {
		t.Errorf("not formatted, run terraform fmt -recursive terraform: %v\n%s", err, out)
	}
}

// TestConfiguration_passesTests plans all that the catalogue has; in the long run it is also applied, and everything asked of it.
func TestConfiguration_passesTests(t *testing.T) {
	t.Parallel()
	need(t)
	w := open(t)
	w.prepare()
	if out, err := w.run("validate", "-no-color"); err != nil {
		t.Fatalf("not valid: %v\n%s", err, out)
	}
	args := []string{"test", "-no-color"}
	if !long {
		args = append(args, "-filter=tests/capacity.tftest.hcl")
	}
	if out, err := w.run(args...); err != nil {
		t.Errorf("%v\n%s", err, problems(out))
	}
}

// long reports whether all breaches are tested.
var long = os.Getenv("MELMASTOON_FULL") != ""

// A breach is an edit that breaks the configuration, the test that must fail, and a part of its message.
type breach struct{ name, by, file, old, new, complaint string }

// The tests that must fail.
const (
	production = "tests/production.tftest.hcl"
	demo       = "tests/demo.tftest.hcl"
)

var breaches = []breach{
	{"publishers unrestricted", production, "topics.tf", "    [for f in local.functions : \"serviceAccount:${f.account}@${local.domain_of_accounts}\" if length(f.emits) > 0 && contains(local.emitted[f.service], topic)],", "    [\"allAuthenticatedUsers\"],",
		"An account may publish without need"},
	{"functions publish all topics", production, "topics.tf", " if length(f.emits) > 0 && contains(local.emitted[f.service], topic)]", "]", "A BFF may publish events of payment or reservation."},
	{"no dead-letter policy", production, "modules/subscription/main.tf", "  dead_letter_policy {\n    dead_letter_topic     = var.dead_letter\n    max_delivery_attempts = var.attempts\n  }\n", "",
		"A subscription has no dead-letter topic"},
	{"scenarios forwarded in production", production, "functions.tf", "var.demo ? { FORWARD_HEADER = \"X-Sandbox-Scenario\" } : {}", "{ FORWARD_HEADER = \"X-Sandbox-Scenario\" }", "A function forwards the sandbox's scenarios."},
	{"connection budget exceeded", demo, "database.tf", "local.connections + var.database_reserve <= var.database_max_connections", "local.connections >= 0", "Missing expected failure"},
	{"invokers unrestricted", production, "functions.tf", " if f.answers != \"\" && contains(g.upstreams, f.answers)],", "],", "A function admits a caller that does not list it as an upstream."},

	{"keyrings unrestricted", production, "secrets.tf", "@${local.domain_of_accounts}\" if contains(f.secrets, each.key)]", "@${local.domain_of_accounts}\"]", "An account may read a keyring without need"},
	{"database unrestricted", production, "accounts.tf", "toset([for f in local.functions : f.account if f.postgres])", "toset([for f in local.functions : f.account])", "An account may connect to the database without need"},
	{"dead letters unrestricted", production, "topics.tf", "  members      = local.reading", "  members      = [for f in local.consumers : \"serviceAccount:${f.account}@${local.domain_of_accounts}\"]", "Another job than replay and erase may read dead letters"},
	{"replay to topics without subscriptions", production, "topics.tf", "    contains(local.subscribed, topic) ? local.replaying : [],", "    local.replaying,", "An account may publish without need"},
	{"replay without subscriptions", production, "jobs.tf", "local.jobs[r.job].letters || local.jobs[r.job].replays ? {", "false ? {", "DEAD_LETTERS"},
	{"push for another audience", production, "topics.tf", "  audience    = local.services[each.value.service].audience", "  audience    = \"https://somebody.else\"", "A subscription differs from what its function consumes"},
	{"push in a wrapper", production, "modules/subscription/main.tf", "    no_wrapper {\n      write_metadata = true\n    }\n", "", "no_wrapper"},
	{"no filters", production, "modules/subscription/main.tf", "  filter                     = var.filter == \"\" ? null : var.filter\n", "", "No subscription filters on the error code of replays."},
	{"dead letters expire", production, "topics.tf", "  expiration_policy {\n    ttl = \"\"\n  }\n", "", "Dead letters are not kept."},
	{"scheduled function reachable from outside", production, "modules/function/main.tf", "\"ALLOW_INTERNAL_ONLY\"", "\"ALLOW_ALL\"", "An event or scheduled function can be reached from outside"},
	{"schedule in local time", production, "schedules.tf", "  schedule         = each.value.schedule\n  time_zone        = \"Etc/UTC\"", "  schedule         = each.value.schedule\n  time_zone        = \"Asia/Kabul\"", "The schedules differ from the catalogue."},
	{"private response cached", production, "edge.tf", "  enable_cdn            = contains(local.compressed, each.key)", "  enable_cdn            = true", "A shared cache stores private responses"},
	{"memory limit too high", production, "modules/function/main.tf", "var.scaling.memory_mb * 0.8", "var.scaling.memory_mb * 1.2", "A function's GOMEMLIMIT is not below 90 % of its memory."},
	{"tokens in request logs", production, "metrics.tf", "run.googleapis.com%2Frequests", "run.googleapis.com%2Fnothing", "Tokens of guests are logged"},
	{"keyring version not pinned", production, "functions.tf", "lookup(var.keyrings, variable, \"latest\")", "\"latest\"", "another version of a keyring than the configured one"},
	{"demonstration without hotels", demo, "jobs.tf", "r.job == \"furnish\" ? substr(local.hashes[name], 0, 12) : null", "null", "The demonstration has no hotels"},
	{"lag counted from other lines", production, "metrics.tf", "EXTRACT(jsonPayload.outbox.${each.key})", "EXTRACT(jsonPayload.outbox.slowestSeconds)", "Late events are not counted from the same log lines"},
	{"half of all events late", production, "alerts.tf", "${local.summed.late} > 0.01 *", "${local.summed.late} > 0.5 *", "Events may leave the outboxes late"},
	{"probe never runs", production, "schedules.tf", `"*/5 * * * *"`, `"5 4 1 1 *"`, "The probe is not set up as expected"},
	{"probe rejected by reservation", production, "functions.tf", `if contains(j.upstreams, f.answers)],`, `if false],`, "A function admits a caller that does not list it as an upstream."},
	{"error budget without an alert", production, "alerts.tf", "rate = 14.4,", "rate = 144,", "An error budget is spent without an alert"},
	{"single failure pages", production, "alerts.tf", "least_failures = 10", "least_failures = 0", "A single failed call at night pages."},
	{"service without a dashboard", production, "dashboards.tf", "for_each = local.graphs", "for_each = { for name, g in local.graphs : name => g if name != \"consumer\" }", "A service has no dashboard"},
	{"monthly budget too high", production, "budget.tf", "threshold_percent = 1.2", "threshold_percent = 12", "A month may cost more than expected"},
	{"archive source path tracked", production, "bundles.tf", "    ignore_changes        = [source, detect_md5hash] # the name is the hash of the content, so another folder has the same object\n", "", "An archive is uploaded again"},
	{"write limit too high", production, "alerts.tf", "writes = 100 * local.processors", "writes = 1000 * local.processors", "The database may outgrow its machine"},
	{"writes since the start", production, "alerts.tf", `aligner = "ALIGN_RATE"`, `aligner = "ALIGN_DELTA"`, "The database may outgrow its machine"},
	{"database size limit too high", production, "alerts.tf", "bytes = 50000000000 * local.processors", "bytes = 500000000000 * local.processors", "The database may outgrow its machine"},
	{"outbox row limit too high", production, "metrics.tf", "jsonPayload.outbox.rows>50000000\"", "jsonPayload.outbox.rows>500000000\"", "An outbox may have more than 50 million rows"},
	{"path without an error page", demo, "edge.tf", `startswith(r.template, "/site/")`, `startswith(r.template, "/nowhere/")`, "A path without a function has no page in a browser"},
	{"every job adds keys", production, "secrets.tf", `members   = toset(local.rotating)`, `members   = toset([for name, j in local.jobs : "serviceAccount:jobs-${name}@${local.domain_of_accounts}"])`, "Another account than that of the job keys may add keys"},
	{"job without key versions", production, "jobs.tf", `"${variable}=${r.output.version}@${r.output.since}"`, `"${variable}=1@${r.output.since}"`, "The job keys does not get the versions"},
	{"old key without an alert", production, "metrics.tf", `textPayload=~\"is older than its limit of\"`, `textPayload=~\"is too old\"`, "A key may exceed its maximum age"},
	{"problem types without pages", production, "problems.tf", "problems = var.error_pages ?", "problems = !var.error_pages ?", "The types of problems have no pages."},
	{"alert without its playbook", production, "alerts.tf", "playbook = \"progress\"", "playbook = \"nowhere\"", "nowhere"},
}

// TestConfiguration_findsMistakes plans a few functions of each kind, and applies one breach at a time. An ordinary run tests the first
// breaches; of the others it checks only that the text to change exists.
func TestConfiguration_findsMistakes(t *testing.T) {
	t.Parallel()
	need(t)
	w := open(t)
	w.few()
	w.prepare()
	for _, by := range []string{production, demo} {
		if out, err := w.run("test", "-no-color", "-filter="+by); err != nil {
			t.Fatalf("the unchanged configuration fails: %v\n%s", err, problems(out))
		}
	}
	const ordinary = 4
	for i, b := range breaches {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			w := open(t)
			w.few()
			w.replace(b.file, b.old, b.new)
			if i >= ordinary && !long {
				t.Skip("the text to change exists; the full run tests the change (MELMASTOON_FULL)")
			}
			w.prepare()
			if out, err := w.run("test", "-no-color", "-filter="+b.by); err == nil || !strings.Contains(unwrapped(out), b.complaint) {
				t.Errorf("no test fails with %q: %v\n%s", b.complaint, err, problems(out))
			}
		})
	}
}

// problems returns the output of Terraform without the list of resources to clean up.
func problems(out string) string {
	var kept []string
	for line := range strings.Lines(out) {
		if !strings.HasPrefix(line, "  - ") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}

// unwrapped joins the lines that Terraform has broken.
func unwrapped(out string) string { return strings.Join(strings.Fields(out), " ") }
