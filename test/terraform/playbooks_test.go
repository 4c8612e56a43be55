package terraform

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"melmastoon.ghasi.io/shared/testkit/check"
)

var (
	referenced = regexp.MustCompile(`playbook = "([a-z-]+)"`)
	paged      = regexp.MustCompile(`playbook = "([a-z-]+)", page = (true|false)`)
	heading    = regexp.MustCompile(`(?m)^## (.+)$`)
	shell      = regexp.MustCompile("(?s)```sh\n(.*?)```")
	changing   = regexp.MustCompile(`-go,|\b(update|delete|pull|seek|resume|jobs run)\b`)
	blanks     = regexp.MustCompile(`<[a-z_ ]+>`)
)

// playbooks returns the names of the pages in terraform/playbooks.
func playbooks(t *testing.T) (names []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(home, "playbooks", "*.md"))
	check.Must(t, err)
	for _, file := range files {
		names = append(names, strings.TrimSuffix(filepath.Base(file), ".md"))
	}
	slices.Sort(names)
	return names
}

func TestPlaybooks_matchAlerts(t *testing.T) {
	t.Parallel()
	if want, got := all(referenced, text(t, "alerts.tf")), playbooks(t); !slices.Equal(got, want) {
		t.Errorf("pages in playbooks = %v, want those that alerts.tf names: %v", got, want)
	}
	guide := text(t, "README.md")
	for _, name := range playbooks(t) {
		if !strings.Contains(guide, "(playbooks/"+name+".md)") {
			t.Errorf("terraform/README.md has no link to playbooks/%s.md", name)
		}
	}
}

func TestPlaybooks_headings(t *testing.T) {
	t.Parallel()
	want := []string{"Meaning", "Severity", "What to paste", "What to do", "When to escalate"}
	for _, name := range playbooks(t) {
		var got []string
		for _, m := range heading.FindAllStringSubmatch(playbook(t, name), -1) {
			got = append(got, m[1])
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: headings = %v, want %v", name, got, want)
		}
	}
}

// TestPlaybooks_severity compares the severity on each page with that of its alert.
func TestPlaybooks_severity(t *testing.T) {
	t.Parallel()
	severity := map[string]string{"true": "CRITICAL", "false": "WARNING"}
	found := paged.FindAllStringSubmatch(text(t, "alerts.tf"), -1)
	if len(found) < 10 {
		t.Fatalf("found %d alerts with a severity, want at least 10", len(found))
	}
	for _, m := range found {
		_, section, _ := strings.Cut(playbook(t, m[1]), "## Severity\n")
		section, _, _ = strings.Cut(section, "## ")
		if !strings.Contains(section, severity[m[2]]) {
			t.Errorf("%s: the page does not have the severity %s of its alert", m[1], severity[m[2]])
		}
	}
}

// TestPlaybooks_commands parses the commands to paste, which must not change anything. Cloud Monitoring replaces ${name} in a documentation, so no page contains one.
func TestPlaybooks_commands(t *testing.T) {
	t.Parallel()
	for _, name := range playbooks(t) {
		page := playbook(t, name)
		if strings.Contains(page, "${") {
			t.Errorf("%s: contains ${, which Cloud Monitoring replaces", name)
		}
		commands := shell.FindAllStringSubmatch(page, -1)
		if len(commands) != 1 || !strings.HasPrefix(commands[0][1], "export PROJECT=<project> REGION=<region>") {
			t.Errorf("%s: want one block of commands that begins with PROJECT and REGION", name)
			continue
		}
		if found := changing.FindString(commands[0][1]); found != "" {
			t.Errorf("%s: the commands to paste contain %q", name, found)
		}
		check := exec.CommandContext(t.Context(), "bash", "-n")
		check.Stdin = strings.NewReader(blanks.ReplaceAllString(commands[0][1], "blank"))
		if out, err := check.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}

// TestPlaybooks_filled looks in the documentation of each alert for the values of its deployment.
func TestPlaybooks_filled(t *testing.T) {
	t.Parallel()
	need(t)
	documented := map[string]string{}
	for _, alert := range ofTheProduction.system(t).of("google_monitoring_alert_policy") {
		title, content := alert.first("display_name"), alert.first("documentation", "content")
		documented[title] = content
		for _, unfilled := range []string{"<project>", "<region>", "<domain>", "<service>", "<job>", "<name>"} {
			t.Run(title+" "+unfilled, func(t *testing.T) {
				if strings.Contains(content, unfilled) && !(unfilled == "<service>" && strings.HasPrefix(title, "outbox")) {
					t.Errorf("the documentation contains %s", unfilled)
				}
			})
		}
	}
	for title, want := range map[string]string{
		"consumer: calls fail: 2 % of the month's error budget in an hour":   `jsonPayload.function=~"^consumer-"`,
		"reservation-relay: no success for 20 minutes":                       `FUNCTION="reservation-relay"`,
		"prune-hourly: a run failed":                                         `JOB="prune-hourly"`,
		"tenantbooking-hold misses its latency target":                       `jsonPayload.function=~"^tenantbooking-hold"`,
		"dead letters in bff-tenant-dlq.melmastoon.tenant.config_updated.v1": `TOPIC="bff-tenant-dlq.melmastoon.tenant.config_updated.v1"`,
	} {
		t.Run(title, func(t *testing.T) {
			if got := documented[title]; !strings.Contains(got, want) {
				t.Errorf("documentation = %s\nwant %s in it", got, want)
			}
		})
	}
}

// playbook returns a page of terraform/playbooks.
func playbook(t *testing.T, name string) string {
	t.Helper()
	return text(t, filepath.Join("playbooks", name+".md"))
}
