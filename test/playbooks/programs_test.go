package playbooks

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"melmastoon.ghasi.io"
	"melmastoon.ghasi.io/jobs/command"
	"melmastoon.ghasi.io/jobs/keys"
	"melmastoon.ghasi.io/jobs/keys/folder"
	"melmastoon.ghasi.io/shared/local/bus"
	"melmastoon.ghasi.io/shared/local/documents"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/fn/process"
	"melmastoon.ghasi.io/shared/platform/identity"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/platform/topic"
)

// token is the identity token of a job.
type token string

// Token implements identity.Source.
func (t token) Token(context.Context, string) (string, error) { return string(t), nil }

// runJob runs the job that the first argument names, on the local documents and dead letters.
func runJob(f *facts, args []string) error {
	i := slices.IndexFunc(melmastoon.Jobs, func(j command.Job) bool { return j.Name == args[0] })
	if i < 0 {
		return fmt.Errorf("no job %s", args[0])
	}
	database := f.Database
	if args[0] == "database" {
		database = f.Owner
	}
	e := env.Of(map[string]string{"DATABASE_URL": database, "DEAD_LETTERS": f.DeadLetters, "DOCUMENT_TIMEOUT": "5s",
		"PROBE_URL": f.Front, "UPSTREAM_RESERVATION_URL": f.Front + "/api/v1/reservations"})
	e.Advance(time.Duration(f.Offset))
	// Documents have a database login of their own in the local system; here it is that of the functions.
	e = document.StoreKey.With(e, documents.Open(e.With("DATABASE_URL", f.Database)))
	b := bus.Open(e, postgres.Open(e, "bus"))
	if args[0] == "keys" {
		var err error
		if e, err = rolledOut(f, e); err != nil {
			return err
		}
	}
	e = identity.SourceKey.With(topic.PullerKey.With(topic.PublisherKey.With(e, b), b), identity.Source(token(f.Token)))
	os.Exit(command.Run(context.Background(), melmastoon.Jobs[i], e, args[1:], os.Stderr))
	return nil
}

// rolledOut returns the environment of the job keys: each version of a keyring was deployed when it was created, and a day has passed since.
func rolledOut(f *facts, e env.Env) (env.Env, error) {
	store := folder.Open(f.secrets(), e.Now)
	var deployed []string
	newest := 0
	for _, ring := range keys.Rings {
		versions, err := store.Versions(context.Background(), ring.Secret())
		if err != nil {
			return e, fmt.Errorf("%s: %w", ring.Variable, err)
		}
		last := versions[len(versions)-1]
		deployed = append(deployed, fmt.Sprintf("%s=%d@%s", ring.Variable, last.Number, last.CreatedAt.UTC().Format(time.RFC3339)))
		newest = max(newest, last.Number)
	}
	e.Advance(time.Duration(newest) * 24 * time.Hour)
	return keys.StoreKey.With(e.With("KEYRINGS", strings.Join(deployed, ",")), keys.Store(store)), nil
}

// runFunction starts a function without its settings.
func runFunction(_ *facts, args []string) error {
	i := slices.IndexFunc(melmastoon.Functions, func(f fn.Function) bool { return f.Spec.Name == args[0] })
	if i < 0 {
		return fmt.Errorf("no function %s", args[0])
	}
	process.Start(melmastoon.Functions[i], func(env.Env) env.Env { return env.Of(nil) })
	return errors.New("the function starts without its settings")
}

// runTerraform prints an output that the configuration has.
func runTerraform(f *facts, args []string) error {
	if len(args) != 2 || args[0] != "output" {
		return fmt.Errorf("unknown command %q", args)
	}
	outputs, err := os.ReadFile(filepath.Join(f.Tree, "terraform", "outputs.tf"))
	if err != nil {
		return err
	}
	if !strings.Contains(string(outputs), `output "`+args[1]+`"`) {
		return fmt.Errorf("no output %s", args[1])
	}
	r, err := f.find("terraform output", args[1])
	if err != nil {
		return err
	}
	fmt.Println(r["value"])
	return nil
}

func runDig(f *facts, args []string) error {
	if len(args) != 2 || args[0] != "+short" || args[1] != domain {
		return fmt.Errorf("unknown arguments %q", args)
	}
	r, err := f.find("dns", domain)
	if err == nil {
		fmt.Println(r["address"])
	}
	return err
}

// runCurl requests a page of the local system in place of the domain, and prints the status like curl -v.
func runCurl(f *facts, args []string) error {
	at := slices.IndexFunc(args, func(a string) bool { return strings.HasPrefix(a, "https://"+domain+"/") })
	if rest := strings.Join(slices.Delete(slices.Clone(args), max(at, 0), max(at, 0)+1), " "); at < 0 || rest != "-sv --max-time 10 -o /dev/null" {
		return fmt.Errorf("unknown arguments %q", args)
	}
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, f.Front+strings.TrimPrefix(args[at], "https://"+domain), nil)
	if err != nil {
		return err
	}
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, "< "+res.Proto, res.Status)
	return res.Body.Close()
}

func runRedis(f *facts, args []string) error {
	s, err := f.find("secrets", "melmastoon-redis-url")
	if err != nil {
		return err
	}
	if len(args) != 6 || args[0] != "-u" || args[1] != s["value"] || args[2] != "--tls" || args[3] != "--cacert" || args[5] != "--bigkeys" {
		return fmt.Errorf("unknown arguments %q", args)
	}
	if ca, err := os.ReadFile(args[4]); err != nil || len(ca) == 0 {
		return errors.Join(err, errors.New("no certificate"))
	}
	fmt.Println(`Biggest string found "search/8f3a" has 91 bytes`)
	return nil
}
