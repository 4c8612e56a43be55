package keys_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"melmastoon.ghasi.io/jobs/command"
	"melmastoon.ghasi.io/jobs/keys"
	"melmastoon.ghasi.io/jobs/keys/folder"
	"melmastoon.ghasi.io/scripts/catalogue/deployment"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/testkit/check"
)

const (
	handoffs = "HANDOFF_KEYS"
	peppers  = "PSEUDONYM_PEPPERS"
)

// A vault is a folder of secrets with a clock, and what an apply has rolled out.
type vault struct {
	t        *testing.T
	dir      string
	env      env.Env
	deployed map[string]string // versions as in KEYRINGS
}

// open returns a vault in which each keyring has one key, deployed as version 1 since yesterday.
func open(t *testing.T) *vault {
	t.Helper()
	v := &vault{t: t, dir: t.TempDir(), env: env.Of(nil), deployed: map[string]string{}}
	for i, r := range keys.Rings {
		v.put(r.Variable, "k1:"+secretOf(i))
		v.deploy(r.Variable)
	}
	v.env.Advance(24 * time.Hour)
	return v
}

// secretOf returns the i'th key.
func secretOf(i int) string {
	return base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{byte('A' + i)}, 32))
}

func (v *vault) store() folder.Folder { return folder.Open(v.dir, v.env.Now) }

func nameOf(variable string) string { return keys.Ring{Variable: variable}.Secret() }

// last returns the number of the newest version.
func (v *vault) last(variable string) int {
	v.t.Helper()
	all, err := v.store().Versions(v.t.Context(), nameOf(variable))
	if err != nil || len(all) == 0 {
		return 0
	}
	return all[len(all)-1].Number
}

// put adds a version by hand.
func (v *vault) put(variable, value string) {
	v.t.Helper()
	check.Got(v.store().Add(v.t.Context(), nameOf(variable), v.last(variable), []byte(value))).Must(v.t)
}

// deploy rolls out the newest version, as an apply does.
func (v *vault) deploy(variable string) {
	v.deployed[variable] = fmt.Sprintf("%d@%s", v.last(variable), v.env.Now().UTC().Format(time.RFC3339))
}

// ring returns the ids of the newest version.
func (v *vault) ring(variable string) string {
	v.t.Helper()
	value := check.Got(v.store().Read(v.t.Context(), nameOf(variable), v.last(variable))).Must(v.t)
	var ids []string
	for entry := range strings.SplitSeq(string(value), ",") {
		id, _, _ := strings.Cut(entry, ":")
		ids = append(ids, id)
	}
	return strings.Join(ids, " ")
}

// call runs the job and returns its exit code and all that it printed. No key may be in it.
func (v *vault) call(args ...string) (code int, output string) {
	v.t.Helper()
	var deployed []string
	for variable, version := range v.deployed {
		deployed = append(deployed, variable+"="+version)
	}
	return v.callWith(strings.Join(deployed, ","), args...)
}

func (v *vault) callWith(deployed string, args ...string) (code int, output string) {
	v.t.Helper()
	var out, errs bytes.Buffer
	e := keys.StoreKey.With(v.env.With("KEYRINGS", deployed), keys.Store(v.store()))
	job := command.Job{Name: keys.Job.Name, Run: func(ctx context.Context, e env.Env, args []string) error { return keys.Run(ctx, e, args, &out) }}
	code = command.Run(v.t.Context(), job, e, args, &errs)
	output = out.String() + errs.String()
	for i := range keys.Rings {
		if strings.Contains(output, secretOf(i)[:20]) || strings.Contains(output, strings.Repeat(string(rune('A'+i)), 8)) {
			v.t.Errorf("%v prints a key: %s", args, output)
		}
	}
	return code, output
}

// step makes a step and fails the test unless it is made.
func (v *vault) step(step, variable string, more ...string) string {
	v.t.Helper()
	code, output := v.call(append([]string{"-step=" + step, "-go", "-by=K. Amiri", "-why=a year is over", variable}, more...)...)
	check.MustEqual(v.t, code, 0, "%s of %s: exit: %s", step, variable, output)
	return output
}

func contains(t *testing.T, output string, texts ...string) {
	t.Helper()
	check.Contains(t, output, texts...)
}

func TestRings_areThoseOfTheFunctions(t *testing.T) {
	t.Parallel()
	var got []string
	for _, r := range keys.Rings {
		got = append(got, r.Variable)
	}
	if !slices.Equal(got, deployment.Secrets) {
		t.Errorf("rings = %v, want the secrets of the functions, %v", got, deployment.Secrets)
	}
	if got := nameOf(handoffs); got != "melmastoon-handoff-keys" {
		t.Errorf("the secret is %s, want the one that terraform/README.md creates", got)
	}
}

func TestRun_report(t *testing.T) {
	t.Parallel()
	v := open(t)
	code, output := v.call()
	check.Equal(t, code, 0)
	check.Equal(t, strings.Count(output, "\n"), 3*len(keys.Rings))
	for _, r := range keys.Rings {
		contains(t, output, r.Variable+": version 1 is deployed since ", r.Variable+": k1 is active, 1 days old, since ", r.Variable+": next step: add\n")
	}
	v.env.Advance(100 * 24 * time.Hour)
	code, output = v.call(handoffs)
	contains(t, output, "HANDOFF_KEYS: k1 is active, 101 days old, since ", "HANDOFF_KEYS: key k1 is older than its limit of 90 days\n")
	check.Equal(t, code, 0)
	check.Lacks(t, output, peppers)
}

// TestRun_rotation makes the steps of each keyring, with an apply after each.
func TestRun_rotation(t *testing.T) {
	t.Parallel()
	for _, r := range keys.Rings {
		t.Run(r.Variable, func(t *testing.T) {
			t.Parallel()
			v := open(t)
			added := "k" + v.env.Now().UTC().Format("20060102")
			contains(t, v.step("add", r.Variable), `add by "K. Amiri", because "a year is over": version 2 has the keys k1, `+added+`; now apply with keyrings = { `+r.Variable+` = "2" }`)
			check.MustEqual(t, v.ring(r.Variable), "k1 "+added, "after add")
			v.deploy(r.Variable)
			v.env.Advance(16 * time.Minute)
			v.step("promote", r.Variable, "-unlink")
			check.MustEqual(t, v.ring(r.Variable), added+" k1", "after promote")
			v.deploy(r.Variable)
			v.env.Advance(404 * 24 * time.Hour)
			v.step("remove", r.Variable, "-unlink")
			check.MustEqual(t, v.ring(r.Variable), added, "after remove")
			v.deploy(r.Variable)
			v.env.Advance(24 * time.Hour)
			contains(t, v.step("add", r.Variable), "version 5 has the keys "+added+", k")
		})
	}
}

// TestRun_refusals tries steps that would end sessions, or lose handoffs or stored answers. No version is added.
func TestRun_refusals(t *testing.T) {
	t.Parallel()
	const half = 16 * time.Minute
	rotated := func(variable string, wait time.Duration) func(*vault) {
		return func(v *vault) {
			v.step("add", variable)
			v.deploy(variable)
			v.env.Advance(half)
			v.step("promote", variable)
			v.deploy(variable)
			v.env.Advance(wait)
		}
	}
	for _, test := range []struct {
		name     string
		variable string
		prepare  func(*vault)
		step     string
		says     string
	}{
		{"promote_before_add", handoffs, func(*vault) {}, "promote", "no key is newer than the active key k1: add one first"},
		{"remove_the_only_key", handoffs, func(*vault) {}, "remove", "k1 is the only key"},
		{"promote_before_the_apply", handoffs, func(v *vault) { v.step("add", handoffs) }, "promote", "version 2 is not deployed everywhere"},
		{"add_twice", handoffs, func(v *vault) { v.step("add", handoffs) }, "add", "version 2 is not deployed everywhere"},
		{"add_twice_after_the_apply", handoffs, func(v *vault) { v.step("add", handoffs); v.deploy(handoffs) }, "add", "is not active yet: promote it first"},
		{"promote_while_old_instances_answer", handoffs, func(v *vault) {
			v.step("add", handoffs)
			v.deploy(handoffs)
			v.env.Advance(14 * time.Minute)
		}, "promote", "may still answer: promote it after "},
		{"remove_before_promote", handoffs, func(v *vault) { v.step("add", handoffs); v.deploy(handoffs); v.env.Advance(half) }, "remove", "k1 is still the active key: promote "},
		{"remove_while_handoffs_are_valid", handoffs, rotated(handoffs, 44*time.Minute), "remove", "handoffs made with k1 are valid until "},
		{"remove_while_sessions_are_valid", "TENANT_SESSION_KEYS", rotated("TENANT_SESSION_KEYS", 30*24*time.Hour), "remove", "sessions made with k1 are valid until "},
		{"remove_while_consumer_sessions_are_valid", "CONSUMER_SESSION_KEYS", rotated("CONSUMER_SESSION_KEYS", 30*24*time.Hour), "remove", "sessions made with k1 are valid until "},
		{"remove_while_answers_are_repeated", "IDEMPOTENCY_KEYS", rotated("IDEMPOTENCY_KEYS", 24*time.Hour), "remove", "stored answers made with k1 are valid until "},
		{"remove_while_payments_return", "RETURN_LINK_KEYS", rotated("RETURN_LINK_KEYS", 150*time.Minute), "remove", "return links of payments made with k1 are valid until "},
		{"remove_while_confirmations_are_open", "VIEW_TOKEN_KEYS", rotated("VIEW_TOKEN_KEYS", 395*24*time.Hour), "remove", "links to confirmations made with k1 are valid until "},
		{"remove_a_pepper_of_sessions", peppers, rotated(peppers, 30*24*time.Hour), "remove", "sessions made with k1 are valid until "},
		{"remove_a_pepper_of_pseudonyms", peppers, rotated(peppers, 31*24*time.Hour), "remove", "earlier pseudonyms of guests no longer match: add -unlink"},
		{"promote_a_salt", "GUEST_SALT_KEYS", func(v *vault) { v.step("add", "GUEST_SALT_KEYS"); v.deploy("GUEST_SALT_KEYS"); v.env.Advance(half) }, "promote", "earlier pseudonyms of guests no longer match: add -unlink"},
		{"a_ring_without_a_version", handoffs, func(v *vault) { v.deployed[handoffs] = "latest" }, "add", `apply with keyrings = { HANDOFF_KEYS = "1" } first`},
		{"a_rollout_without_a_time", handoffs, func(v *vault) { v.deployed[handoffs] = "1" }, "add", "was rolled out is unknown"},
		{"a_deployed_version_that_is_disabled", handoffs, func(v *vault) {
			v.put(handoffs, "k1:"+secretOf(2))
			check.Must(v.t, os.Chmod(filepath.Join(v.dir, nameOf(handoffs), "1"), 0))
		}, "add", "version 1 cannot be read"},
		{"a_garbled_secret", handoffs, func(v *vault) { v.put(handoffs, "k1="+secretOf(2)) }, "add", "version 2: keyring: not of the form"},
		{"a_missing_secret", handoffs, func(v *vault) { check.Must(v.t, os.RemoveAll(filepath.Join(v.dir, nameOf(handoffs)))) }, "add", "no such secret"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			v := open(t)
			test.prepare(v)
			before := v.last(test.variable)
			code, output := v.call("-step="+test.step, "-go", "-by=K. Amiri", "-why=haste", test.variable)
			check.Equal(t, code, 1, "exit code")
			check.Contains(t, output, test.variable+": ", test.says)
			check.Equal(t, v.last(test.variable), before, "last version")
		})
	}
}

// TestRun_leaked replaces each key within the hour: the old one is removed although what was made with it has not expired.
func TestRun_leaked(t *testing.T) {
	t.Parallel()
	for _, r := range keys.Rings {
		t.Run(r.Variable, func(t *testing.T) {
			t.Parallel()
			v := open(t)
			began := v.env.Now()
			v.step("add", r.Variable)
			v.deploy(r.Variable)
			v.env.Advance(16 * time.Minute)
			v.step("promote", r.Variable, "-unlink")
			v.deploy(r.Variable)
			if code, output := v.call("-step=remove", "-leaked", "-unlink", "-go", "-by=K. Amiri", "-why=leaked", r.Variable); code != 1 {
				t.Errorf("removed while older instances still use it: %s", output)
			}
			v.env.Advance(16 * time.Minute)
			v.step("remove", r.Variable, "-leaked", "-unlink")
			if took := v.env.Now().Sub(began); strings.Contains(v.ring(r.Variable), "k1") || took > time.Hour {
				t.Errorf("after %s the keys are %s, want k1 to be gone within the hour", took, v.ring(r.Variable))
			}
			if _, output := v.call(); strings.Contains(output, "do not deploy") && !strings.Contains(output, "unless a key has leaked") {
				t.Errorf("the report forbids what the operator has decided: %s", output)
			}
		})
	}
}

// TestRun_versionsByHand rotates past the job. The report fails if the new version must not be deployed.
func TestRun_versionsByHand(t *testing.T) {
	t.Parallel()
	one, two := "k1:"+secretOf(slices.IndexFunc(keys.Rings, func(r keys.Ring) bool { return r.Variable == handoffs })), "k2:"+secretOf(20)
	for _, test := range []struct {
		name, value string
		code        int
		says        string
	}{
		{"a_new_key_behind", one + "," + two, 0, `next step: apply with keyrings = { HANDOFF_KEYS = "2" }`},
		{"a_new_key_in_front", two + "," + one, 1, "do not deploy version 2: k2 would become active at once: instances with version 1 do not accept it, so handoffs would be lost"},
		{"a_new_key_alone", two, 1, "do not deploy version 2: k2 would become active at once"},
		{"another_key_with_the_same_id", "k1:" + secretOf(20), 1, "do not deploy version 2: k1 would become another key with the same id"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			v := open(t)
			v.put(handoffs, test.value)
			code, output := v.call()
			check.Equal(t, code, test.code)
			check.Contains(t, output, test.says)
			contains(t, output, "VIEW_TOKEN_KEYS: next step: add") // the other keyrings are reported all the same
		})
	}
}

// TestRun_ages looks at ages after versions were destroyed, and at the ends of rotations.
func TestRun_ages(t *testing.T) {
	t.Parallel()
	v := open(t)
	v.step("add", handoffs)
	first := "k" + v.env.Now().UTC().Format("20060102")
	v.deploy(handoffs)
	v.env.Advance(16 * time.Minute)
	v.step("promote", handoffs)
	v.deploy(handoffs)
	for _, number := range []string{"1", "2"} {
		check.Must(t, os.Chmod(filepath.Join(v.dir, nameOf(handoffs), number), 0))
	}
	v.env.Advance(50 * 24 * time.Hour)
	_, output := v.call(handoffs)
	contains(t, output, first+" is active, 50 days old", "k1 is accepted, 50 days old", "next step: remove\n") // k1 is as old as the oldest version that can be read
	v.env.Advance(45 * 24 * time.Hour)
	_, output = v.call(handoffs)
	contains(t, output, "key "+first+" is older than its limit of 90 days", "key k1 is older than its limit of 90 days") // removing it waits for a person
	v.put(handoffs, first+":"+secretOf(20))                                                                              // by hand, and with other bytes
	check.Must(t, os.Chmod(filepath.Join(v.dir, nameOf(handoffs), "3"), 0))
	v.deploy(handoffs)
	_, output = v.call(handoffs)
	contains(t, output, first+" is active, 95 days old") // by the date in its id
}

func TestRun_pepperInItsGracePeriod(t *testing.T) {
	t.Parallel()
	v := open(t)
	v.env.Advance(365 * 24 * time.Hour)
	_, output := v.call(peppers)
	contains(t, output, "PSEUDONYM_PEPPERS: key k1 is older than its limit of 365 days")
	v.step("add", peppers)
	v.deploy(peppers)
	v.env.Advance(16 * time.Minute)
	v.step("promote", peppers)
	v.deploy(peppers)
	v.env.Advance(20 * 24 * time.Hour)
	if _, output := v.call(peppers); strings.Contains(output, "older than") {
		t.Errorf("alerts about a pepper that must stay: %s", output)
	}
	v.env.Advance(11 * 24 * time.Hour)
	_, output = v.call(peppers)
	contains(t, output, "key k1 is older than its limit of 365 days", "next step: remove\n")
}

func TestRun_dryRun(t *testing.T) {
	t.Parallel()
	v := open(t)
	code, output := v.call("-step=add", handoffs)
	check.Equal(t, code, 0)
	check.Equal(t, v.last(handoffs), 1)
	contains(t, output, "HANDOFF_KEYS: would add: version 2 with the keys k1, k")
}

// Two runs at once make a step once.
func TestRun_concurrently(t *testing.T) {
	t.Parallel()
	v := open(t)
	codes := make([]int, 6)
	var all sync.WaitGroup
	for i := range codes {
		all.Go(func() { codes[i], _ = v.call("-step=add", "-go", "-by=two", "-why=both", handoffs) })
	}
	all.Wait()
	slices.Sort(codes)
	check.Equal(t, codes, []int{0, 1, 1, 1, 1, 1})
	check.Equal(t, v.last(handoffs), 2)
}

func TestRun_errors(t *testing.T) {
	t.Parallel()
	v := open(t)
	for _, test := range []struct {
		name string
		args []string
		says string
	}{
		{"an_unknown_keyring", []string{"COOKIE_KEYS"}, "no keyring"},
		{"an_unknown_step", []string{"-step=replace", handoffs}, "there are add, promote and remove"},
		{"a_step_without_a_keyring", []string{"-step=add"}, "one keyring"},
		{"a_step_of_two_keyrings", []string{"-step=add", handoffs, peppers}, "one keyring"},
		{"go_without_a_step", []string{"-go", "-by=x", "-why=x", handoffs}, "-go and -unlink require -step"},
		{"leaked_without_remove", []string{"-step=add", "-leaked", handoffs}, "-leaked requires -step=remove"},
		{"a_step_without_a_name", []string{"-step=add", "-go", "-why=x", handoffs}, "-by and -why"},
		{"a_step_without_a_reason", []string{"-step=add", "-go", "-by=x", "-why= ", handoffs}, "-by and -why"},
		{"an_unknown_flag", []string{"-all"}, "-all"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if code, output := v.call(test.args...); code != 2 || !strings.Contains(output, test.says) {
				t.Errorf("exit %d: %s, want 2 with %q", code, output, test.says)
			}
		})
	}
}

func TestRun_configuration(t *testing.T) {
	t.Parallel()
	v := open(t)
	for _, deployed := range []string{"COOKIE_KEYS=1", "HANDOFF_KEYS", "HANDOFF_KEYS=one", "HANDOFF_KEYS=1@yesterday", "HANDOFF_KEYS=-1"} {
		t.Run(deployed, func(t *testing.T) {
			if code, output := v.callWith(deployed); code != 1 || !strings.Contains(output, "KEYRINGS: ") {
				t.Errorf("exit %d: %s, want 1", code, output)
			}
		})
	}
	var out bytes.Buffer
	if err := keys.Run(t.Context(), env.Of(nil), nil, &out); err == nil || !strings.Contains(err.Error(), "no store") {
		t.Errorf("without a store: %v", err)
	}
}
