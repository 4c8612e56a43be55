package flags

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"melmastoon.ghasi.io/functions/consumer"
	"melmastoon.ghasi.io/functions/tenantbooking"
	"melmastoon.ghasi.io/jobs/command"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/flags"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/documenttest"
)

// Subjects of the service tenantbooking: the rate of step can be changed, always is always published.
const (
	step   = "melmastoon.bff.tenant.flow.step_completed.v1"
	always = "melmastoon.bff.tenant.booking.draft.converted.v1"
)

// call runs the job like its command and returns the exit code, its output and its error output.
func call(t *testing.T, store *documenttest.Memory, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	job := command.Job{Name: Job.Name, Run: func(ctx context.Context, e env.Env, args []string) error { return run(ctx, e, args, &out) }}
	code = command.Run(t.Context(), job, documenttest.Give(env.Of(nil), store), args, &errs)
	return code, out.String(), errs.String()
}

// publishedOfThousand returns the number of events that a newly started function publishes of a thousand.
func publishedOfThousand(t *testing.T, store *documenttest.Memory) (n int) {
	t.Helper()
	f := flags.Open(documenttest.Give(env.Of(nil), store), tenantbooking.FlagsIn, tenantbooking.Sampling)
	f.Refresh(t.Context())
	for range 1000 {
		n += len(f.Sampled(false, event.Draft{Subject: event.Subject{Name: step}}))
	}
	return n
}

func TestRun_functionsFollow(t *testing.T) {
	t.Parallel()
	store := &documenttest.Memory{}
	for _, test := range []struct {
		name string
		args []string
		says string
		all  bool
	}{
		{"as built in, one in four", nil, "tenantbooking: " + step + ": one in 4\n", false},
		{"all of them, with an experiment", []string{"tenantbooking", step + "=1"}, "tenantbooking: " + step + ": one in 1, not in 4\n", true},
		{"to look changes nothing", []string{"tenantbooking"}, "one in 1, not in 4\n", true},
		{"another service is none of its business", []string{"consumer", "melmastoon.bff.consumer.search.executed.v1" + "=2"}, ": one in 2, not in 10\n", true},
		{"as the code says, again", []string{"-reset", "tenantbooking"}, "tenantbooking: " + step + ": one in 4\n", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			code, stdout, stderr := call(t, store, test.args...)
			check.Equal(t, code, 0, "%s", stderr)
			check.Contains(t, stdout, test.says)
			if n := publishedOfThousand(t, store); (n == 1000) != test.all || n == 0 {
				t.Errorf("%d of 1000 events are published", n)
			}
		})
	}
}

// Rates and features are set independently; only a reset changes both.
func TestRun_features(t *testing.T) {
	t.Parallel()
	store := &documenttest.Memory{}
	on := func() bool {
		f := flags.Open(documenttest.Give(env.Of(nil), store), tenantbooking.FlagsIn, tenantbooking.Sampling, tenantbooking.Features...)
		f.Refresh(t.Context())
		return f.On("readOnly")
	}
	for _, test := range []struct {
		name          string
		args          []string
		readOnly, all bool
	}{
		{"nothing stored", nil, false, false},
		{"the feature is switched on", []string{"tenantbooking", "readOnly=on"}, true, false},
		{"a rate is set", []string{"tenantbooking", step + "=1"}, true, true},
		{"switched on twice", []string{"tenantbooking", "readOnly=on"}, true, true},
		{"the feature is switched off", []string{"tenantbooking", "readOnly=off"}, false, true},
		{"both", []string{"tenantbooking", "readOnly=on", step + "=4"}, true, false},
		{"reset", []string{"-reset", "tenantbooking"}, false, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			code, stdout, stderr := call(t, store, test.args...)
			check.Equal(t, code, 0, "exit code: %s", stderr)
			check.Equal(t, on(), test.readOnly, "readOnly")
			check.Contains(t, stdout, "tenantbooking: readOnly: "+map[bool]string{true: "on", false: "off"}[test.readOnly])
			if n := publishedOfThousand(t, store); (n == 1000) != test.all {
				t.Errorf("%d of 1000 events are published, want all: %t", n, test.all)
			}
		})
	}
}

// The rules of bot detection are set as a whole, independently of rates.
func TestRun_bots(t *testing.T) {
	t.Parallel()
	store := &documenttest.Memory{}
	for _, test := range []struct {
		name string
		args []string
		want string
	}{
		{"nothing stored", nil, "{}"},
		{"rules are set", []string{"-bots", `{"challenge":0.7}`, "consumer"}, `{"challenge":0.7}`},
		{"a rate is set", []string{"consumer", "melmastoon.bff.consumer.search.executed.v1=2"}, `{"challenge":0.7}`},
		{"other rules are set", []string{"-bots", `{"bot":0.9}`, "consumer"}, `{"bot":0.9}`},
		{"another service is reset", []string{"-reset", "tenantbooking"}, `{"bot":0.9}`},
		{"reset", []string{"-reset", "consumer"}, "{}"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if code, stdout, stderr := call(t, store, test.args...); code != 0 {
				t.Errorf("exit %d: %s%s", code, stdout, stderr)
			}
			if _, stdout, _ := call(t, store); !strings.Contains(stdout, "consumer: bots: "+test.want+"\n") {
				t.Errorf("printed %s, without the rules %s", stdout, test.want)
			}
		})
	}
	e := documenttest.Give(env.Of(nil), store)
	broken := consumer.BotRules{Rules: []byte(`{"challenge":7}`)}
	if _, err := document.Open[consumer.BotRules](e, consumer.FlagsIn).Put(t.Context(), consumer.BotRulesKey, broken, 1<<62, e.Now().AddDate(1, 0, 0)); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := call(t, store); code != 1 || !strings.Contains(stderr, "ignore") {
		t.Errorf("rules that functions ignore: exit %d, %q, want 1", code, stderr)
	}
	if code, _, stderr := call(t, store, "-bots", "{}", "consumer"); code != 1 || !strings.Contains(stderr, "newer") {
		t.Errorf("newer rules: exit %d, %q, want 1", code, stderr)
	}
}

func TestRun_rejectsInvalidRates(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		args []string
		says string
	}{
		{"a service without flags", []string{"reservation", "a=1"}, "reservation"},
		{"an event that is always published", []string{"tenantbooking", step + "=1", always + "=2"}, always},
		{"another service's subject", []string{"consumer", step + "=2"}, step},
		{"no number", []string{"tenantbooking", step + "=often"}, "often"},
		{"rate 0", []string{"tenantbooking", step + "=0"}, step},
		{"a subject twice", []string{"tenantbooking", step + "=1", step + "=2"}, "once"},
		{"no rate", []string{"tenantbooking", step}, "SUBJECT=N"},
		{"to reset everything", []string{"-reset"}, "no flags"},
		{"to reset and to change", []string{"-reset", "tenantbooking", step + "=2"}, "-reset"},
		{"an unknown feature", []string{"tenantbooking", "closed=on"}, "closed"},
		{"another service's feature", []string{"consumer", "readOnly=on"}, "readOnly"},
		{"a feature that is neither on nor off", []string{"tenantbooking", "readOnly=yes"}, "FEATURE=on"},
		{"a feature with a rate", []string{"tenantbooking", "readOnly=1"}, "readOnly"},
		{"a feature twice", []string{"tenantbooking", "readOnly=on", "readOnly=off"}, "once"},
		{"to reset and to switch", []string{"-reset", "tenantbooking", "readOnly=on"}, "-reset"},
		{"rules of a service without them", []string{"-bots", "{}", "tenantbooking"}, "bots"},
		{"rules of no service", []string{"-bots", "{}"}, "no flags"},
		{"rules and a reset", []string{"-reset", "-bots", "{}", "consumer"}, "-reset"},
		{"invalid rules", []string{"-bots", `{"challenge":7}`, "consumer"}, "challenge"},
		{"a misspelled rule", []string{"-bots", `{"chalenge":0.7}`, "consumer"}, "chalenge"},
		{"a flag that does not exist", []string{"-sideways"}, "sideways"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			store := &documenttest.Memory{Refuse: func(verb string) error { return errors.New("it was asked to " + verb) }}
			if code, _, stderr := call(t, store, test.args...); code != 2 || !strings.Contains(stderr, test.says) {
				t.Errorf("exit %d, %q, want 2 and %q", code, stderr, test.says)
			}
		})
	}
}

func TestRun_errors(t *testing.T) {
	t.Parallel()
	away := &documenttest.Memory{Refuse: func(string) error { return errors.New("the store is away") }}
	broken := &documenttest.Memory{}
	e := documenttest.Give(env.Of(nil), broken)
	kept := flags.Document{Sampling: []byte(`{"` + always + `":7}`)}
	check.Got(document.Open[flags.Document](e, tenantbooking.FlagsIn).Put(t.Context(), flags.Key, kept, 1, e.Now().AddDate(1, 0, 0))).Must(t)
	later := &documenttest.Memory{}
	e = documenttest.Give(env.Of(nil), later)
	if _, err := document.Open[flags.Document](e, tenantbooking.FlagsIn).Put(t.Context(), flags.Key, flags.Document{Sampling: []byte(`{}`)}, 1<<62, e.Now().AddDate(1, 0, 0)); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name  string
		store *documenttest.Memory
		args  []string
		says  string
	}{
		{"a store that is away", away, nil, "away"},
		{"to change flags where the store is away", away, []string{"-reset", "consumer"}, "away"},
		{"flags that no function follows", broken, []string{"tenantbooking"}, always},
		{"newer ones", later, []string{"-reset", "tenantbooking"}, "newer"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if code, _, stderr := call(t, test.store, test.args...); code != 1 || !strings.Contains(stderr, test.says) {
				t.Errorf("exit %d, %q, want 1 and %q", code, stderr, test.says)
			}
		})
	}
}
