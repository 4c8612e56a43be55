package terraform

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/scripts/catalogue/deployment"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// stub replaces every program of the deployment guide. It appends each command to $STATE/commands and rejects files, variables, outputs,
// resources and jobs that do not exist. A create command records its object in $STATE/exists and fails if the object is there already.
// The first command that contains $FAIL fails, once.
const stub = `#!/bin/bash
program=$(basename "$0")
echo "$program $*" >> "$STATE/commands"
if [ -n "${FAIL:-}" ] && [[ "$program $*" == *"$FAIL"* ]] && [ ! -e "$STATE/failed" ]; then touch "$STATE/failed"; exit 1; fi
complain() { echo "$program $*" >&2; exit 64; }
case "$program" in
go) [ "$1" = run ] && [ -d "$TREE/$2" ] || complain "has no program $2"
  mkdir -p .local/bundles && cp "$STATE/bundles.json" .local/bundles/ && for job in $JOBS; do touch ".local/bundles/jobs-$job-abc123.zip"; done;;
python3) [ "$1 $2 $3" = "-m zipfile -e" ] && [ -e "$4" ] && [ -d "$5" ] || complain "$4 or $5 does not exist";;
unzip) [ -e "$2" ] && [ -d "$4" ] || complain "$2 or $4 does not exist";;
openssl) echo AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=;;
terraform)
  case "$1" in init|plan|apply|output) ;; *) complain "unknown command $1";; esac
  for word in "$@"; do case "$word" in
    -var=*) name=${word#-var=}; grep -q "^variable \"${name%%=*}\"" variables.tf || complain "no variable $name"; [ -n "${name#*=}" ] || complain "empty $name";;
    -var-file=*) [ -e "${word#-var-file=}" ] || complain "no file $word";;
    -target=*) address=${word#-target=}; grep -q "^resource \"${address%.*}\" \"${address#*.}\"" *.tf || complain "no resource $address";;
    -backend-config=bucket=*) grep -qx "storage buckets gs://${word#*bucket=}" "$STATE/exists" || complain "no bucket $word";;
    init|plan|apply|output|-raw|-input=false|-out=release.tfplan|release.tfplan) ;;
    *) [ "$1" = output ] && grep -q "^output \"$word\"" outputs.tf || complain "unknown argument $word";;
  esac; done
  if [ "$1" = output ]; then echo migrate; fi;;
gcloud)
  for word in "$@"; do
    [[ "$word" == *'$'* || "$word" == *= ]] && complain "empty value in $word"
    if [[ "$word" == --data-file=- ]]; then [ -n "$(cat)" ] || complain "empty secret"; fi
    if [[ "$word" == --pack=* ]]; then program_of=${word##*GOOGLE_BUILDABLE=}; [ -d "$TREE/$program_of" ] || complain "no program $program_of"; fi
  done
  case "$1 $2 $3" in
  "builds triggers create") ;;
  "artifacts docker images") exit 1;; # no image is built yet
  *" create") thing="$1 $2 $4"; [ "$1" = secrets ] && thing="secrets $3"
    ;;
  "secrets create "*) thing="secrets $3";;
  "builds submit "*) [ -d "$3" ] || complain "no folder $3"
    [[ "$*" == *" --gcs-source-staging-dir=gs://"* ]] || complain "sources in a bucket outside the region";;
  "run services list") printf 'reservation-hold\nconsumer-search\n';;
  "run revisions list") printf 'revision-00002\n'; [[ "$*" != *limit=1* ]] && printf 'revision-00001\n';;
  "run jobs execute") [[ " $DEPLOYED " == *" $4 "* ]] || complain "no job $4";;
  "projects describe "*) echo 123456;;
  "redis instances "*) [ "$3" = create ] || echo value;;
  "sql instances describe") echo 10.20.0.3;;
  "sql backups list") echo 1764165780000;;
  "sql instances "*) [[ "$4" == melmastoon* ]] || complain "no instance $4"; [ "$3" = clone ] && thing="sql instances $5";;
  "pubsub subscriptions list") printf 'reservation-paymentcaptured\nconsumer-handoffconsumed\n';;
  esac
  if [ -n "${thing:-}" ]; then
    grep -qxF "$thing" "$STATE/exists" 2>/dev/null && { echo "ALREADY_EXISTS: $thing" >&2; exit 1; }
    echo "$thing" >> "$STATE/exists"
  fi;;
esac
exit 0
`

// flagsOf lists the gcloud commands that the guide may use, with their flags.
var flagsOf = map[string][]string{
	"config set project":              {},
	"services enable":                 {},
	"storage buckets create":          {"location", "uniform-bucket-level-access"},
	"storage buckets update":          {"versioning"},
	"artifacts repositories create":   {"repository-format", "location"},
	"beta services identity create":   {"service"},
	"projects add-iam-policy-binding": {"role", "condition", "member"},
	"projects describe":               {"format"},
	"iam service-accounts create":     {"project"},
	"projects delete":                 {},
	"projects undelete":               {},
	"sql export sql":                  {"database", "offload", "project"},
	"artifacts docker images":         {},
	"storage cp":                      {},
	"secrets create":                  {"replication-policy", "data-file", "version-destroy-ttl"},
	"builds submit":                   {"pack", "gcs-source-staging-dir"},
	"redis instances create":          {"region", "tier", "size", "redis-version", "network", "connect-mode", "enable-auth", "transit-encryption-mode", "redis-config"},
	"redis instances describe":        {"region", "format"},
	"redis instances get-auth-string": {"region", "format"},
	"run jobs execute":                {"project", "region", "wait", "args", "update-env-vars"},
	"run revisions list":              {"service", "project", "region", "sort-by", "limit", "filter", "format"},
	"run services list":               {"project", "region", "format"},
	"run services update-traffic":     {"project", "region", "to-revisions", "to-latest", "async"},
	"scheduler jobs pause":            {"project", "location"},
	"scheduler jobs resume":           {"project", "location"},
	"compute firewall-rules create":   {"project", "network", "direction", "priority", "action", "rules", "destination-ranges"},
	"compute firewall-rules delete":   {"project", "quiet"},
	"sql instances describe":          {"project", "format"},
	"sql instances restart":           {"project", "quiet"},
	"sql instances clone":             {"project", "point-in-time"},
	"sql instances patch":             {"project", "no-deletion-protection", "quiet"},
	"sql instances delete":            {"project", "quiet"},
	"sql backups create":              {"project", "instance", "location"},
	"sql backups list":                {"project", "instance", "limit", "format"},
	"sql backups restore":             {"project", "restore-instance", "backup-instance", "quiet"},
	"secrets versions add":            {"project", "data-file", "format"},
	"pubsub subscriptions list":       {"project", "filter", "format"},
	"pubsub subscriptions seek":       {"project", "time"},
	"logging read":                    {"project", "freshness", "order", "format"},

	"artifacts repositories set-cleanup-policies": {"location", "policy"},
	"builds triggers create github":               {"project", "region", "name", "repo-owner", "repo-name", "branch-pattern", "build-config", "service-account", "substitutions", "require-approval"},
}

// A reader pastes blocks of the deployment guide into a shell, in a tree with a copy of terraform/ and stubs in place of all programs.
type reader struct {
	t          *testing.T
	tree, bin  string
	state      string
	deployment deployment.Deployment
}

func newReader(t *testing.T) reader {
	t.Helper()
	r := reader{t: t, tree: t.TempDir(), bin: t.TempDir(), state: t.TempDir()}
	check.Must(t, os.CopyFS(filepath.Join(r.tree, "terraform"), os.DirFS(home)))
	check.Must(t, json.Unmarshal([]byte(text(t, "catalogue.json")), &r.deployment))
	names := map[string]string{}
	for name := range r.deployment.Jobs {
		names["jobs-"+name] = "jobs-" + name + "-abc123.zip"
	}
	bundles := check.Got(json.Marshal(names)).Must(t)
	spread := strings.NewReplacer(",", ",\n", ":", ": ").Replace(string(bundles)) + "\n"
	check.Must(t, os.WriteFile(filepath.Join(r.state, "bundles.json"), []byte(spread), 0o600))
	for _, name := range []string{"gcloud", "go", "openssl", "python3", "terraform", "unzip"} {
		check.Must(t, os.WriteFile(filepath.Join(r.bin, name), []byte(stub), 0o700))
	}
	return r
}

// paste runs the blocks in one shell. With the flag -e the shell stops at the first error, like a script; without it the shell continues,
// like a person's. fail is the command that fails once.
func (r reader) paste(flags, fail string, blocks ...string) error {
	var jobs, deployed []string
	for name, j := range r.deployment.Jobs {
		jobs = append(jobs, name)
		if len(j.Cadences) == 0 || j.ByHand {
			deployed = append(deployed, name)
		}
		for _, cadence := range j.Cadences {
			deployed = append(deployed, name+"-"+cadence)
		}
	}
	tree := check.Got(filepath.Abs(root)).Must(r.t)
	shell := exec.CommandContext(r.t.Context(), "bash", flags, strings.Join(blocks, "\n"))
	shell.Dir = r.tree
	shell.Env = slices.Concat(os.Environ(), []string{"PATH=" + r.bin + ":" + os.Getenv("PATH"), "STATE=" + r.state, "TREE=" + tree, "FAIL=" + fail,
		"JOBS=" + strings.Join(jobs, " "), "DEPLOYED=" + strings.Join(deployed, " ")})
	out, err := shell.CombinedOutput()
	if err != nil {
		return errors.New(err.Error() + ": " + string(out))
	}
	return nil
}

// commands returns the commands that were run.
func (r reader) commands() []string {
	r.t.Helper()
	return strings.Split(strings.TrimSpace(string(check.Got(os.ReadFile(filepath.Join(r.state, "commands"))).Must(r.t))), "\n")
}

// unknown returns the gcloud commands and flags that flagsOf does not list.
func (r reader) unknown() (wrong []string) {
	for _, line := range r.commands() {
		said, ok := strings.CutPrefix(line, "gcloud ")
		if !ok {
			continue
		}
		known := ""
		for name := range flagsOf {
			if strings.HasPrefix(said, name+" ") {
				known = name
			}
		}
		if known == "" {
			wrong = append(wrong, said)
			continue
		}
		for word := range strings.FieldsSeq(said) {
			name, _, _ := strings.Cut(strings.TrimPrefix(word, "--"), "=")
			if strings.HasPrefix(word, "--") && !slices.Contains(flagsOf[known], name) {
				wrong = append(wrong, known+" "+word)
			}
		}
	}
	return wrong
}

// inSentence finds the commands that the guide shows in its sentences.
var inSentence = regexp.MustCompile("`(gcloud [^`]+ [^`]+)`")

// deploymentBlocks returns the blocks of the guide, and the commands in its sentences as a last one. After the first block it inserts the
// copy of a file that the guide asks for in prose.
func deploymentBlocks(t *testing.T) (blocks []string) {
	t.Helper()
	for _, m := range shell.FindAllStringSubmatch(text(t, "README.md"), -1) {
		blocks = append(blocks, blanks.ReplaceAllString(m[1], "known"))
	}
	if len(blocks) < 4 {
		t.Fatalf("terraform/README.md has %d blocks of commands, want those of a deployment and of its operation", len(blocks))
	}
	const copies = "cp terraform/production.tfvars.example terraform/production.tfvars\n" // the text below the second block
	var sentences []string
	for _, m := range inSentence.FindAllStringSubmatch(shell.ReplaceAllString(text(t, "README.md"), ""), -1) {
		sentences = append(sentences, blanks.ReplaceAllString(m[1], "known"))
	}
	return slices.Concat(blocks[:1], []string{copies}, blocks[1:], []string{strings.Join(sentences, "\n")})
}

// TestReadme_blocks runs all blocks of the guide in order. They must create all secrets and build the images of all jobs.
func TestReadme_blocks(t *testing.T) {
	t.Parallel()
	r := newReader(t)
	blocks := deploymentBlocks(t)
	check.Must(t, r.paste("-euc", "", blocks...))
	for _, wrong := range r.unknown() {
		t.Errorf("the command line of Google has no %s", wrong)
	}
	exists := check.Got(os.ReadFile(filepath.Join(r.state, "exists"))).Must(t)
	for _, secret := range deployment.Secrets {
		want := "secrets melmastoon-" + strings.ToLower(strings.ReplaceAll(secret, "_", "-"))
		check.Contains(t, string(exists), want+"\n")
	}
	for name := range r.deployment.Jobs {
		if !slices.ContainsFunc(r.commands(), func(line string) bool { return strings.Contains(line, "GOOGLE_BUILDABLE=./jobs/"+name+"/main") }) {
			t.Errorf("the guide builds no image of the job %s", name)
		}
	}
}

// TestReadme_mistakes changes one word of the guide at a time. The stubs must reject each change.
func TestReadme_mistakes(t *testing.T) {
	t.Parallel()
	for name, change := range map[string][2]string{
		"variable": {`-var="domain=`, `-var="domane=`},
		"file":     {"-var-file=production.tfvars", "-var-file=productive.tfvars"},
		"job":      {"jobs execute flags", "jobs execute flag"},
		"program":  {"./scripts/bundle", "./scripts/bundles"},
		"folder":   {"./jobs/$job/main", "./job/$job/main"},
		"resource": {"-target=google_service_networking_connection.services", "-target=google_service_networking_connection.service"},
		"bucket":   {`bucket=$PROJECT-state`, `bucket=$PROJECT-states`},
		"unset":    {"export PROJECT=my-project ", "export PROJEKT=my-project "},
		"flag":     {"--redis-version", "--redis-versions"},
		"command":  {"gcloud artifacts repositories create", "gcloud artifacts repository create"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newReader(t)
			all := strings.Join(deploymentBlocks(t), "\n")
			if !strings.Contains(all, change[0]) {
				t.Fatalf("the guide has no %q", change[0])
			}
			if err := r.paste("-euc", "", strings.ReplaceAll(all, change[0], change[1])); err == nil && len(r.unknown()) == 0 {
				t.Errorf("%q in place of %q is not noticed", change[1], change[0])
			}
		})
	}
}

// TestReadme_restart lets one command fail and then, as the guide says, pastes the whole block again.
func TestReadme_restart(t *testing.T) {
	t.Parallel()
	blocks := deploymentBlocks(t)
	for name, test := range map[string]struct {
		fail  string
		block int
	}{
		"secret":    {"secrets create melmastoon-handoff-keys", 0},
		"image":     {"builds submit .local/images/migrate", 2},
		"apply":     {"terraform apply", 2},
		"memory":    {"redis instances create", 3},
		"terraform": {"terraform init", 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newReader(t)
			before := blocks[:test.block]
			if test.block == 3 {
				before = slices.Concat(before, []string{blocks[2]})[:3]
			}
			if err := r.paste("-euc", test.fail, append(slices.Clone(before), blocks[test.block])...); err == nil {
				t.Fatal("the command did not fail")
			}
			var again []string
			if test.block > 0 {
				again = []string{"export PROJECT=my-project REGION=me-central1 DOMAIN=example.com IMAGES=images"}
			}
			if test.block == 3 {
				again = append(again, "cd terraform")
			}
			check.NoError(t, r.paste("-uc", "", append(again, blocks[test.block])...), "pasted again")
			exists := check.Got(os.ReadFile(filepath.Join(r.state, "exists"))).Must(t)
			if created := strings.Fields(string(exists)); len(created) == 0 || strings.Count(string(exists), "secrets melmastoon-handoff-keys\n") != 1 {
				t.Errorf("after the restart these exist: %s", exists)
			}
		})
	}
}

// script matches the script of a step of the pipeline.
var script = regexp.MustCompile(`(?m)^    script: \|\n((?:      .*\n|\n)+)`)

// TestPipeline runs the scripts of the pipeline with stubs, for a plan and for its apply. A plan is stored and never applied; an apply
// takes the stored plan, with no variables of its own.
func TestPipeline(t *testing.T) {
	t.Parallel()
	for step, want := range map[string][]string{
		"plan":  {"builds submit", "terraform plan", "storage cp terraform/release.tfplan gs://my-project-state/plans/abc"},
		"apply": {"storage cp gs://my-project-state/plans/abc", "terraform apply -input=false release.tfplan"},
	} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			r := newReader(t)
			check.Must(t, os.WriteFile(filepath.Join(r.state, "exists"), []byte("storage buckets gs://my-project-state\n"), 0o600))
			check.Must(t, os.Rename(filepath.Join(r.tree, "terraform", "production.tfvars.example"), filepath.Join(r.tree, "terraform", "production.tfvars")))
			blocks := []string{"export PROJECT_ID=my-project COMMIT_SHA=abc _REGION=me-central1 _DOMAIN=example.com _SETTINGS=production.tfvars _STEP=" + step}
			for _, m := range script.FindAllStringSubmatch(text(t, "pipeline.yaml"), -1) {
				blocks = append(blocks, "(\n"+m[1]+")")
			}
			check.Must(t, r.paste("-euc", "", blocks...))
			ran := strings.Join(r.commands(), "\n")
			check.Contains(t, ran, want...)
			if step == "plan" && strings.Contains(ran, "terraform apply") {
				t.Error("a plan is applied without approval")
			}
			if wrong := r.unknown(); len(wrong) > 0 {
				t.Errorf("the command line of Google has no %q", wrong)
			}
		})
	}
}
