package playbooks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

// A subcommand is one command of gcloud: its flags, and the number of its arguments.
type subcommand struct {
	flags []string
	args  int
	run   func(*facts, call) error
}

var commands = map[string]subcommand{
	"logging read":                              {[]string{"project!", "freshness!", "limit", "order", "format!"}, 1, readLog},
	"run jobs execute":                          {[]string{"project!", "region!", "wait!", "args"}, 1, execute},
	"run jobs executions list":                  {[]string{"project!", "region!", "job!", "limit"}, 0, listExecutions},
	"run jobs executions cancel":                {[]string{"project!", "region!"}, 1, cancelExecution},
	"run revisions list":                        {[]string{"project!", "region!", "service!", "limit"}, 0, listRevisions},
	"run services describe":                     {[]string{"project!", "region!", "format"}, 1, describe("run services")},
	"scheduler jobs describe":                   {[]string{"project!", "location!", "format"}, 1, describe("scheduler jobs")},
	"scheduler jobs resume":                     {[]string{"project!", "location!"}, 1, resumeSchedule},
	"scheduler jobs run":                        {[]string{"project!", "location!"}, 1, runSchedule},
	"pubsub subscriptions describe":             {[]string{"project!", "format"}, 1, describe("pubsub subscriptions")},
	"pubsub subscriptions seek":                 {[]string{"project!", "time!"}, 1, seek},
	"sql instances describe":                    {[]string{"project!", "format"}, 1, describe("sql instances")},
	"sql operations list":                       {[]string{"project!", "instance!", "limit"}, 0, listOperations},
	"redis instances describe":                  {[]string{"project!", "region!", "format"}, 1, describe("redis instances")},
	"redis instances update":                    {[]string{"project!", "region!", "size!"}, 1, resizeRedis},
	"certificate-manager certificates describe": {[]string{"project!", "format"}, 1, describe("certificate-manager certificates")},
	"secrets versions access":                   {[]string{"project!", "secret!"}, 1, accessSecret},
	"secrets versions disable":                  {[]string{"project!", "secret!"}, 1, disableVersion},
}

// runGcloud runs a command of gcloud with exactly the flags that it knows.
func runGcloud(f *facts, args []string) error {
	c := parse(args)
	for n := len(c.words); n > 0; n-- {
		known, ok := commands[strings.Join(c.words[:n], " ")]
		if !ok {
			continue
		}
		c.words = c.words[n:]
		if len(c.words) != known.args {
			return fmt.Errorf("got the arguments %q, want %d", c.words, known.args)
		}
		if err := c.check(known.flags); err != nil {
			return err
		}
		return known.run(f, c)
	}
	return fmt.Errorf("unknown command %q", args)
}

func describe(kind string) func(*facts, call) error {
	return func(f *facts, c call) error {
		r, err := f.find(kind, c.words[0])
		if err != nil {
			return err
		}
		text, err := show(r, c.flags["format"], true)
		if err == nil {
			fmt.Println(text)
		}
		return err
	}
}

// execute runs a job in a process of its own, as Cloud Run does, and writes its output to the log.
func execute(f *facts, c call) error {
	name := c.words[0]
	if !f.isJob(name) {
		return fmt.Errorf("NOT_FOUND: job %s", name)
	}
	job, args := f.program(name)
	if given, ok := c.flags["args"]; ok {
		args = split(given)
	}
	failed, err := f.run(name, job, args)
	if err != nil {
		return err
	}
	execution := f.Executions[0]["name"]
	if failed {
		return fmt.Errorf("execution %s has failed", execution)
	}
	fmt.Printf("Execution [%s] has successfully completed.\n", execution)
	return nil
}

// run runs a job and records its execution.
func (f *facts) run(name, job string, args []string) (failed bool, err error) {
	self, err := os.Executable()
	if err != nil {
		return false, err
	}
	cmd := exec.Command(self, append([]string{job}, args...)...)
	cmd.Args[0] = "job"
	cmd.Env = append(os.Environ(), "FACTS="+f.path())
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	exit := cmd.Run()
	if _, ended := errors.AsType[*exec.ExitError](exit); exit != nil && !ended {
		return false, exit
	}
	result := "Completed"
	if exit != nil {
		result = "Failed"
	}
	f.Executions = slices.Insert(f.Executions, 0, resource{"name": name + "-" + strconv.Itoa(len(f.Executions)), "job": name, "status": result})
	log, err := os.OpenFile(filepath.Join(f.Folder, "jobs.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return false, err
	}
	defer log.Close()
	for line := range strings.Lines(out.String()) {
		if err := json.MarshalWrite(log, jobEntry(name, strings.TrimSuffix(line, "\n"), f.now())); err != nil {
			return false, err
		}
		if _, err := log.WriteString("\n"); err != nil {
			return false, err
		}
	}
	return exit != nil, f.save()
}

// split splits the value of --args as gcloud does: at commas, or at the text between two carets.
func split(args string) []string {
	by := ","
	if rest, ok := strings.CutPrefix(args, "^"); ok {
		by, args, _ = strings.Cut(rest, "^")
	}
	return strings.Split(args, by)
}

func limited(c call, lines []string) error {
	most := len(lines)
	if text, ok := c.flags["limit"]; ok {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return fmt.Errorf("--limit=%s", text)
		}
		most = min(most, n)
	}
	for _, line := range lines[:most] {
		fmt.Println(line)
	}
	return nil
}

func listExecutions(f *facts, c call) error {
	if !f.isJob(c.flags["job"]) {
		return fmt.Errorf("NOT_FOUND: job %s", c.flags["job"])
	}
	lines := []string{"EXECUTION  STATUS"}
	for _, e := range f.Executions {
		if e["job"] == c.flags["job"] {
			lines = append(lines, fmt.Sprintf("%s  %s", e["name"], e["status"]))
		}
	}
	return limited(c, lines)
}

func cancelExecution(f *facts, c call) error {
	for _, e := range f.Executions {
		if e["name"] == c.words[0] && e["status"] == "Running" {
			e["status"] = "Cancelled"
			fmt.Println("Cancelled", c.words[0])
			return f.save()
		}
	}
	return fmt.Errorf("NOT_FOUND: no running execution %s", c.words[0])
}

func listRevisions(f *facts, c call) error {
	if _, ok := f.deployment.Functions[c.flags["service"]]; !ok {
		return fmt.Errorf("NOT_FOUND: service %s", c.flags["service"])
	}
	return limited(c, []string{c.flags["service"] + "-00002-new  ACTIVE", c.flags["service"] + "-00001-old"})
}

func listOperations(f *facts, c call) error {
	if _, err := f.find("sql instances", c.flags["instance"]); err != nil {
		return err
	}
	return limited(c, []string{"UPDATE  DONE"})
}

func resumeSchedule(f *facts, c call) error {
	s, err := f.find("scheduler jobs", c.words[0])
	if err != nil {
		return err
	}
	if s["state"] != "PAUSED" {
		return errors.New("FAILED_PRECONDITION: the job is not paused")
	}
	s["state"] = "ENABLED"
	fmt.Println("resumed", c.words[0])
	return f.save()
}

// runSchedule calls a function as its schedule does. It succeeds even if the function fails, as in the cloud.
func runSchedule(f *facts, c call) error {
	if _, err := f.find("scheduler jobs", c.words[0]); err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, f.Front+"/internal/ticks/"+c.words[0], nil)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+f.Token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	fmt.Println("started", c.words[0])
	return res.Body.Close()
}

func seek(f *facts, c call) error {
	if _, err := f.find("pubsub subscriptions", c.words[0]); err != nil {
		return err
	}
	if _, err := time.Parse(time.RFC3339, c.flags["time"]); err != nil {
		return err
	}
	f.Seeks = map[string]string{c.words[0]: c.flags["time"]}
	fmt.Println("moved", c.words[0])
	return f.save()
}

func resizeRedis(f *facts, c call) error {
	r, err := f.find("redis instances", c.words[0])
	if err != nil {
		return err
	}
	size, err := strconv.Atoi(c.flags["size"])
	if err != nil {
		return fmt.Errorf("--size=%s", c.flags["size"])
	}
	r["memorySizeGb"] = size
	fmt.Println("resized", c.words[0])
	return f.save()
}

func accessSecret(f *facts, c call) error {
	s, err := f.find("secrets", c.flags["secret"])
	if err != nil || c.words[0] != "latest" {
		return errors.Join(err, fmt.Errorf("version %s", c.words[0]))
	}
	fmt.Print(s["value"])
	return nil
}

// disableVersion makes a version of a keyring unreadable.
func disableVersion(f *facts, c call) error {
	if err := os.Chmod(filepath.Join(f.secrets(), c.flags["secret"], c.words[0]), 0); err != nil {
		return err
	}
	fmt.Println("Disabled version", c.words[0])
	return nil
}
