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

// long is whether the long counts are wanted.
var long = os.Getenv("MELMASTOON_FULL") != ""

// A breach is one way to break the configuration that must be noticed, by whom, and what is then said.
type breach struct{ name, by, file, old, new, complaint string }

// The tests that notice.
const (
	production = "tests/production.tftest.hcl"
	demo       = "tests/demo.tftest.hcl"
)

var breaches = []breach{
	{"anybody may publish", production, "topics.tf", "    [for f in local.functions : \"serviceAccount:${f.account}@${local.domain_of_accounts}\" if contains(f.publishes, topic)],", "    [\"allAuthenticatedUsers\"],",
		"Somebody may publish who does not need to"},
	{"every function may publish everything", production, "topics.tf", " if contains(f.publishes, topic)]", "]", "A browser's service may publish what payment or reservation tells."},
	{"dead letters are forgotten", production, "modules/subscription/main.tf", "  dead_letter_policy {\n    dead_letter_topic     = var.dead_letter\n    max_delivery_attempts = var.attempts\n  }\n", "",
		"A subscription has no dead letters"},
	{"scenarios are forwarded in production", production, "functions.tf", "var.demo ? { FORWARD_HEADER = \"X-Sandbox-Scenario\" } : {}", "{ FORWARD_HEADER = \"X-Sandbox-Scenario\" }", "A function forwards the sandbox's scenarios."},
	{"a connection budget that is overdrawn", demo, "database.tf", "local.connections + var.database_reserve <= var.database_max_connections", "local.connections >= 0", "Missing expected failure"},
	{"every function is let in everywhere", production, "functions.tf", " if f.answers != \"\" && contains(g.upstreams, f.answers)],", "],", "A function lets somebody in who does not say that they use it."},

	{"keyrings for everybody", production, "secrets.tf", "@${local.domain_of_accounts}\" if contains(f.secrets, each.key)]", "@${local.domain_of_accounts}\"]", "Somebody reads a keyring"},
	{"the database for everybody", production, "accounts.tf", "toset([for f in local.functions : f.account if f.postgres])", "toset([for f in local.functions : f.account])", "Somebody reaches the database"},
	{"letters for everybody", production, "topics.tf", "  members      = local.reading", "  members      = [for f in local.consumers : \"serviceAccount:${f.account}@${local.domain_of_accounts}\"]", "Dead letters are read by other jobs than replay"},
	{"replay publishes to topics without subscriptions", production, "topics.tf", "    contains(local.subscribed, topic) ? local.replaying : [],", "    local.replaying,", "Somebody may publish who does not need to"},
	{"replay does not know who hears", production, "jobs.tf", "local.jobs[r.job].letters || local.jobs[r.job].replays ? {", "false ? {", "DEAD_LETTERS"},
	{"pushes for another", production, "topics.tf", "  audience    = local.services[each.value.service].audience", "  audience    = \"https://somebody.else\"", "A subscription is not what its function hears"},
	{"pushes in a wrapper", production, "modules/subscription/main.tf", "    no_wrapper {\n      write_metadata = true\n    }\n", "", "no_wrapper"},
	{"filters forgotten", production, "modules/subscription/main.tf", "  filter                     = var.filter == \"\" ? null : var.filter\n", "", "Replays are not told from other errors."},
	{"dead letters that expire", production, "topics.tf", "  expiration_policy {\n    ttl = \"\"\n  }\n", "", "Dead letters are not kept."},
	{"what is ticked can be reached from outside", production, "modules/function/main.tf", "\"ALLOW_INTERNAL_ONLY\"", "\"ALLOW_ALL\"", "can be reached from outside"},
	{"a schedule in local time", production, "schedules.tf", "  schedule         = each.value.schedule\n  time_zone        = \"Etc/UTC\"", "  schedule         = each.value.schedule\n  time_zone        = \"Asia/Kabul\"", "The schedules are not the catalogue's."},
	{"an answer for one kept for all", production, "edge.tf", "  enable_cdn            = contains(local.compressed, each.key)", "  enable_cdn            = true", "Shared caches keep what is somebody's own"},
	{"garbage that is collected too late", production, "modules/function/main.tf", "var.scaling.memory_mb * 0.8", "var.scaling.memory_mb * 1.2", "A function collects its garbage when there is no memory left."},
	{"addresses that are logged with their tokens", production, "metrics.tf", "run.googleapis.com%2Frequests", "run.googleapis.com%2Fnothing", "Tokens of guests are logged"},
	{"a keyring that is never rolled out", production, "functions.tf", "lookup(var.keyrings, variable, \"latest\")", "\"latest\"", "another version of a keyring than was said"},
	{"a demonstration without hotels", demo, "jobs.tf", "r.job == \"furnish\" ? substr(local.hashes[name], 0, 12) : null", "null", "The demonstration has no hotels"},
	{"an alert that the lag of one line in a hundred raises", production, "metrics.tf", "EXTRACT(jsonPayload.outbox.${each.key})", "EXTRACT(jsonPayload.outbox.slowestSeconds)", "What is late is not counted from the same lines"},
	{"a lag that is half of all events", production, "alerts.tf", "${local.summed.late} > 0.01 *", "${local.summed.late} > 0.5 *", "Events may leave the outboxes late"},
	{"a probe that never runs", production, "schedules.tf", `"*/5 * * * *"`, `"5 4 1 1 *"`, "Nobody books a room"},
	{"a probe that reservation turns away", production, "functions.tf", `if contains(j.upstreams, f.answers)],`, `if false],`, "A function lets somebody in who does not say that they use it."},
	{"a budget of failures that is not watched", production, "alerts.tf", "rate = 14.4,", "rate = 144,", "An error budget is spent without an alert"},
	{"a failure at night that pages", production, "alerts.tf", "least_failures = 10", "least_failures = 0", "A single failed call at night pages."},
	{"a service without a dashboard", production, "dashboards.tf", "for_each = local.graphs", "for_each = { for name, g in local.graphs : name => g if name != \"consumer\" }", "A service has no dashboard"},
	{"a month without a budget", production, "budget.tf", "threshold_percent = 1.2", "threshold_percent = 12", "A month may cost more than expected"},
	{"archives that follow the path of their folder", production, "bundles.tf", "    ignore_changes        = [source, detect_md5hash] # the name is the hash of the content, so another folder has the same object\n", "", "An archive is uploaded again"},
	{"a database that writes too much", production, "alerts.tf", "writes = 100 * local.processors", "writes = 1000 * local.processors", "The database may outgrow its machine"},
	{"writes that are counted since the start", production, "alerts.tf", `aligner = "ALIGN_RATE"`, `aligner = "ALIGN_DELTA"`, "The database may outgrow its machine"},
	{"a database that is too large", production, "alerts.tf", "bytes = 50000000000 * local.processors", "bytes = 500000000000 * local.processors", "The database may outgrow its machine"},
	{"an outbox that is too large", production, "metrics.tf", "jsonPayload.outbox.rows>50000000\"", "jsonPayload.outbox.rows>500000000\"", "An outbox may have more than 50 million rows"},
	{"an address without a page in a browser", demo, "edge.tf", `startswith(r.template, "/site/")`, `startswith(r.template, "/nowhere/")`, "A path without a function has no page in a browser"},
	{"keys that every job may add", production, "secrets.tf", `members   = toset(local.rotating)`, `members   = toset([for name, j in local.jobs : "serviceAccount:jobs-${name}@${local.domain_of_accounts}"])`, "Another account than that of the job keys may add keys"},
	{"a job that does not know the versions", production, "jobs.tf", `"${variable}=${r.output.version}@${r.output.since}"`, `"${variable}=1@${r.output.since}"`, "The job keys does not know which versions"},
	{"an old key without an alert", production, "metrics.tf", `textPayload=~\"is older than its limit of\"`, `textPayload=~\"is too old\"`, "A key may grow old"},
	{"types of problems without pages", production, "problems.tf", "problems = var.error_pages ?", "problems = !var.error_pages ?", "The types of problems have no pages."},
	{"an alert without its playbook", production, "alerts.tf", "playbook = \"progress\"", "playbook = \"nowhere\"", "nowhere"},
}

// TestConfiguration_findsMistakes applies a few functions of each sort, then breaks one thing at a time. The first breaches are
// tried each time, the others in the long run; that what they change is there is looked at always.
func TestConfiguration_findsMistakes(t *testing.T) {
	t.Parallel()
	need(t)
	w := open(t)
	w.few()
	w.prepare()
	for _, by := range []string{production, demo} {
		if out, err := w.run("test", "-no-color", "-filter="+by); err != nil {
			t.Fatalf("what is not broken fails: %v\n%s", err, problems(out))
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
				t.Skip("what is changed is there; what comes of it is seen in the long run: MELMASTOON_FULL")
			}
			w.prepare()
			if out, err := w.run("test", "-no-color", "-filter="+b.by); err == nil || !strings.Contains(unwrapped(out), b.complaint) {
				t.Errorf("nobody says %q: %v\n%s", b.complaint, err, problems(out))
			}
		})
	}
}

// problems is what Terraform says, without the list of what it would have to clean up.
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
