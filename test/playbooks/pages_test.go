package playbooks

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/jobs/replay"
	"melmastoon.ghasi.io/shared/platform/upstream"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
	"melmastoon.ghasi.io/test/system"
)

const timeout = 30 * time.Second

var (
	tree   = filepath.Join("..", "..")
	block  = regexp.MustCompile("(?s)```sh\n(.*?)```")
	inline = regexp.MustCompile("`((?:gcloud|terraform|dig|curl|redis-cli) [^`]+)`")
	part   = regexp.MustCompile("`--[a-z][^`]*`")
	blank  = regexp.MustCompile(`<[a-z_ ]+>`)
)

// A page is a page of terraform/playbooks with its commands.
type page struct {
	exports  string   // the settings of the variables
	diagnose []string // the commands to paste first
	act      []string // the commands in the text, in order
}

// readPage cuts the commands out of a page. It rejects a command of which the page has only a part.
func readPage(text string) (p page, err error) {
	blocks := block.FindAllStringSubmatch(text, -1)
	if len(blocks) != 1 {
		return p, fmt.Errorf("%d blocks of commands, want one", len(blocks))
	}
	for line := range strings.Lines(strings.ReplaceAll(blocks[0][1], "\\\n", " ")) {
		switch line = strings.TrimSpace(line); {
		case strings.HasPrefix(line, "export "):
			p.exports += line + "\n"
		case line != "":
			p.diagnose = append(p.diagnose, line)
		}
	}
	prose := block.ReplaceAllString(text, "")
	if found := part.FindString(prose); found != "" {
		return p, fmt.Errorf("%s is only a part of a command", found)
	}
	for _, m := range inline.FindAllStringSubmatch(prose, -1) {
		p.act = append(p.act, m[1])
	}
	return p, nil
}

// A desk is the operator's shell, with the local system behind the stand-ins.
type desk struct {
	t      *testing.T
	s      *system.System
	owner  *pgx.Conn
	roads  *roads
	facts  *facts
	bin    string
	output strings.Builder // the output of all commands
}

// roads are the ways to other services. A test closes those whose path contains a text.
type roads struct{ closed atomic.Pointer[string] }

// RoundTrip implements http.RoundTripper.
func (r *roads) RoundTrip(q *http.Request) (*http.Response, error) {
	if text := r.closed.Load(); text != nil && strings.Contains(q.URL.Path, *text) {
		return nil, errors.New("no way")
	}
	return http.DefaultTransport.RoundTrip(q)
}

func (r *roads) close(text string) { r.closed.Store(&text) }
func (r *roads) open()             { r.closed.Store(nil) }

func openDesk(t *testing.T) *desk {
	t.Helper()
	db := pgtest.New(t)
	d := &desk{t: t, owner: db.Owner(t), roads: &roads{}, bin: t.TempDir()}
	d.s = system.Within(t, db, upstream.TransportKey.With(db.Env(), http.RoundTripper(d.roads)))
	self := check.Got(os.Executable()).Must(t)
	for name := range programs {
		check.Must(t, os.Symlink(self, filepath.Join(d.bin, name)))
	}
	root := check.Got(filepath.Abs(tree)).Must(t)
	d.facts = &facts{Folder: t.TempDir(), Tree: root, Front: d.s.Cloud.URL(), Database: db.URL(), Owner: db.OwnerURL(),
		DeadLetters: replay.Listeners(d.s.Cloud.Subscriptions()), Resources: map[string]resource{
			"sql instances melmastoon": {"state": "RUNNABLE", "settings": resource{"tier": "db-custom-2-8192", "availabilityType": "REGIONAL", "dataDiskSizeGb": "10",
				"storageAutoResize": true, "databaseFlags": []any{resource{"name": "max_connections", "value": "450"}}}},
			"redis instances melmastoon":                  {"memorySizeGb": 5, "state": "READY", "serverCaCerts": []any{resource{"cert": "-----BEGIN CERTIFICATE-----"}}},
			"certificate-manager certificates melmastoon": {"managed": resource{"state": "ACTIVE"}, "expireTime": "2027-01-01T00:00:00Z"},
			"secrets melmastoon-redis-url":                {"value": "rediss://:secret@10.0.0.3:6378/0"},
			"dns " + domain:                               {"address": "192.0.2.1"},
			"terraform output address":                    {"value": "192.0.2.1"},
			"terraform output connections":                {"value": "{ most = 234 }"},
		}}
	return d
}

// shell runs commands in a shell whose programs are the stand-ins.
func (d *desk) shell(commands string) (string, error) {
	d.t.Helper()
	token := check.Got(d.s.Cloud.Token()).Must(d.t)
	d.facts.Token, d.facts.Offset = token, d.s.Env().Offset().Nanoseconds()
	check.Must(d.t, d.facts.save())
	lines := check.Got(io.ReadAll(d.s.Log.Reader())).Must(d.t)
	d.log(lines)
	cmd := exec.CommandContext(d.t.Context(), "bash", "-euo", "pipefail", "-c", commands)
	cmd.Dir = d.bin
	cmd.Env = append(os.Environ(), "PATH="+d.bin+":"+os.Getenv("PATH"), "FACTS="+d.facts.path())
	out, err := cmd.CombinedOutput()
	after, noFacts := readFacts(d.facts.path())
	check.Must(d.t, noFacts)
	d.facts = after
	return string(out), err
}

// log replaces the log of the functions.
func (d *desk) log(lines []byte) {
	d.t.Helper()
	check.Must(d.t, os.WriteFile(filepath.Join(d.facts.Folder, "functions.log"), append(lines, d.failedStart()...), 0o600))
}

// failedStart returns the line of a function that did not start, or nothing.
func (d *desk) failedStart() []byte {
	line, err := os.ReadFile(filepath.Join(d.bin, "start.log"))
	if err != nil {
		return nil // the test has started none
	}
	return line
}

// paste runs one command and returns its output. It returns an error if the command fails or prints nothing: a command that shows nothing
// is of no use, unless it writes a file.
func (d *desk) paste(exports, command string) (string, error) {
	d.t.Helper()
	out, err := d.shell(exports + command)
	switch {
	case err != nil:
		return out, fmt.Errorf("%w: %s", err, out)
	case strings.TrimSpace(out) == "" && !strings.Contains(command, " > "):
		return out, errors.New("it prints nothing")
	}
	return out, nil
}

var (
	flagName = regexp.MustCompile(`--[a-z]+`)
	column   = regexp.MustCompile(`'(resource|jsonPayload)\.`)
)

// mistakes returns the command with one mistake each: a wrong flag or name, and in a query of the log a wrong member.
func mistakes(command string) (all []string) {
	for _, first := range []string{"terraform output ", "dig +"} {
		if rest, ok := strings.CutPrefix(command, first); ok {
			all = append(all, first+"x"+rest)
		}
	}
	if at := flagName.FindStringIndex(command); at != nil {
		all = append(all, command[:at[1]]+"s"+command[at[1]:])
	}
	if strings.Contains(command, "gcloud logging read") {
		all = append(all, column.ReplaceAllString(command, "'${1}.nothing."))
	}
	return all
}

// play pastes commands. Before each it pastes the command with a mistake, which must be noticed.
func (d *desk) play(exports string, commands []string) {
	d.t.Helper()
	for _, command := range commands {
		for _, wrong := range mistakes(command) {
			if out, err := d.paste(exports, wrong); err == nil {
				d.t.Errorf("nothing notices the mistake in %s: it prints %s", wrong, out)
			}
		}
		out, err := d.paste(exports, command)
		check.NoError(d.t, err, "%s", command)
		d.output.WriteString(out)
	}
}

func TestPages(t *testing.T) {
	t.Parallel()
	for name, trouble := range troubles {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := check.Got(os.ReadFile(filepath.Join(tree, "terraform", "playbooks", name+".md"))).Must(t)
			d := openDesk(t)
			fill := []string{"<project>", project, "<region>", region, "<domain>", domain, "NAME", "K. Amiri", "REASON", "it is mended"}
			says := trouble.make(d)
			filled := strings.NewReplacer(slices.Concat(fill, says.fill)...).Replace(string(text))
			if left := blank.FindAllString(filled, -1); left != nil {
				t.Fatalf("the page has the placeholders %q, which the test does not fill", left)
			}
			p := check.Got(readPage(filled)).Must(t)
			d.play(p.exports, p.diagnose)
			check.Contains(t, d.output.String(), says.names...)
			if says.mend != nil {
				says.mend()
			}
			d.play(p.exports, p.act)
			if says.gone == nil && len(p.act) > 0 {
				t.Error("the page has commands that change something, and the test does not check their effect")
			}
			if says.gone != nil {
				says.gone()
			}
		})
	}
}

// TestPages_complete wants a trouble for each page.
func TestPages_complete(t *testing.T) {
	t.Parallel()
	files := check.Got(filepath.Glob(filepath.Join(tree, "terraform", "playbooks", "*.md"))).Must(t)
	if len(files) < 20 {
		t.Fatalf("found %d pages, want at least 20", len(files))
	}
	for _, file := range files {
		if name := strings.TrimSuffix(filepath.Base(file), ".md"); troubles[name].make == nil {
			t.Errorf("no test runs the commands of %s", name)
		}
	}
	if len(troubles) != len(files) {
		t.Errorf("%d troubles, want one for each of %d pages", len(troubles), len(files))
	}
}

func TestReadPage(t *testing.T) {
	t.Parallel()
	const text = "```sh\nexport A=1\ngcloud a \\\n  --b\nterraform output c\n```\nRun `gcloud d --e`, then `x`."
	p := check.Got(readPage(text)).Must(t)
	check.Equal(t, p.exports, "export A=1\n", "exports")
	check.Equal(t, p.diagnose, []string{"gcloud a    --b", "terraform output c"}, "commands to paste")
	check.Equal(t, p.act, []string{"gcloud d --e"}, "commands in the text")
	check.Got(readPage(text+" Or with `--args=b`.")).Fails(t, "a part of a command")
	check.Got(readPage("no commands")).Fails(t, "a page without a block")
}

// exec runs a statement as the owner of the database.
func (d *desk) exec(statement string, args ...any) {
	d.t.Helper()
	check.Got(d.owner.Exec(d.t.Context(), statement, args...)).Must(d.t, "in %s", statement)
}

// count returns the number that a query selects.
func (d *desk) count(query string, args ...any) (n int) {
	d.t.Helper()
	check.Must(d.t, d.owner.QueryRow(d.t.Context(), query, args...).Scan(&n))
	return n
}

// hideTable makes a table disappear until the returned function is called.
func (d *desk) hideTable(schema, table string) (back func()) {
	d.t.Helper()
	d.exec(`ALTER TABLE ` + schema + `.` + table + ` RENAME TO ` + table + `_away`)
	return func() { d.exec(`ALTER TABLE ` + schema + `.` + table + `_away RENAME TO ` + table) }
}

// tick calls a scheduled function, which may fail.
func (d *desk) tick(name string) {
	d.t.Helper()
	if err := d.s.Cloud.Tick(d.t.Context(), name); err != nil {
		d.t.Log(err) // the pages are about functions that fail
	}
}

// until waits until the log of the functions has a line with all texts.
func (d *desk) until(texts ...string) {
	d.t.Helper()
	end := time.After(timeout)
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for {
		all := check.Got(io.ReadAll(d.s.Log.Reader())).Must(d.t)
		for line := range strings.Lines(string(all)) {
			if !slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(line, text) }) {
				return
			}
		}
		select {
		case <-end:
			d.t.Fatalf("no line of the log has %q", texts)
		case <-look.C:
		}
	}
}
