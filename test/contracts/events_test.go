package contracts

import (
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"melmastoon.ghasi.io"
	"melmastoon.ghasi.io/functions/consumer"
	"melmastoon.ghasi.io/functions/tenantbooking"
	eventschemas "melmastoon.ghasi.io/schemas/events"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/platform/contract"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/openapitest"
)

// An eventSchema is the part of an event's schema that these tests read.
type eventSchema struct {
	ID        string   `json:"$id"`
	About     string   `json:"description"`
	Publisher string   `json:"x-publisher"`
	Consumers []string `json:"x-consumers"`
	Retention struct {
		Class  string `json:"class"`
		Period string `json:"period"`
	} `json:"x-retention"`
	Sampling struct {
		Rate         float64 `json:"rate"`
		Configurable bool    `json:"configurable"`
		Debounce     string  `json:"debounce"`
	} `json:"x-sampling"`
	OrderingKey string           `json:"x-ordering-key"`
	Required    []string         `json:"required"`
	Properties  map[string]any   `json:"properties"`
	Examples    []jsontext.Value `json:"examples"`

	whole any
}

// eventSchemas returns the schemas by subject.
func eventSchemas(t *testing.T) map[string]eventSchema {
	t.Helper()
	files, err := fs.Glob(eventschemas.Files, "*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d schemas, %v", len(files), err)
	}
	read := map[string]eventSchema{}
	for _, file := range files {
		text := check.Got(eventschemas.Files.ReadFile(file)).Must(t)
		var s eventSchema
		check.Must(t, json.Unmarshal(text, &s), "%s", file)
		check.Must(t, json.Unmarshal(text, &s.whole), "%s", file)
		read[strings.TrimSuffix(path.Base(file), ".json")] = s
	}
	return read
}

// eachEvent runs a test for every event schema.
func eachEvent(t *testing.T, test func(t *testing.T, subject string, s eventSchema)) {
	t.Helper()
	for subject, s := range eventSchemas(t) {
		t.Run(subject, func(t *testing.T) {
			t.Parallel()
			test(t, subject, s)
		})
	}
}

var (
	propertyAt = regexp.MustCompile(`/properties/[^/]+$`)
	inBranch   = regexp.MustCompile(`/(if|then|else)/`) // repeats members that are described elsewhere
	sentence   = regexp.MustCompile(`^[A-Z0-9].*\.$`)
)

func TestEventSchemas_describeEveryMember(t *testing.T) {
	t.Parallel()
	eachEvent(t, func(t *testing.T, _ string, s eventSchema) {
		if !sentence.MatchString(s.About) {
			t.Errorf("the description %q is no sentence", s.About)
		}
		walk("", s.whole, func(pointer string, value any) bool {
			text, _ := openapitest.Member(value, "description").(string)
			if propertyAt.MatchString(pointer) && !inBranch.MatchString(pointer) && !sentence.MatchString(text) {
				t.Errorf("%s has the description %q, want a sentence", pointer, text)
			}
			return !strings.HasPrefix(pointer, "/examples")
		})
	})
}

// TestEventSchemas_examples holds each example against the closed form, as if it were published. Together the examples of a schema have every
// member of the payload.
func TestEventSchemas_examples(t *testing.T) {
	t.Parallel()
	eachEvent(t, func(t *testing.T, subject string, s eventSchema) {
		if len(s.Examples) == 0 {
			t.Error("no example")
		}
		shown := map[string]any{}
		for _, example := range s.Examples {
			check.NoError(t, contract.ValidateOutgoing(subject, example))
			check.Must(t, json.Unmarshal(example, &shown))
		}
		for name := range s.Properties {
			if _, ok := shown[name]; !ok {
				t.Errorf("no example has %s", name)
			}
		}
	})
}

// TestEventSchemas_catalogue compares publisher, consumers and sampling with the functions.
func TestEventSchemas_catalogue(t *testing.T) {
	t.Parallel()
	published, consumers := catalogueOfEvents()
	sampling := maps.Clone(consumer.Sampling)
	maps.Copy(sampling, tenantbooking.Sampling)
	eachEvent(t, func(t *testing.T, subject string, s eventSchema) {
		declared := published[subject]
		if s.Publisher != declared.Producer || s.ID != declared.SchemaURI {
			t.Errorf("x-publisher and $id are %s and %s, want %s and %s", s.Publisher, s.ID, declared.Producer, declared.SchemaURI)
		}
		acts := slices.ContainsFunc(s.Consumers, func(service string) bool {
			return !slices.Contains([]string{"analytics-service", "audit-service", "search-aggregation-service"}, service)
		})
		if acts && declared.Deferred {
			t.Errorf("it is left to the relay, and a guest may wait for one of %s", s.Consumers)
		}
		if !slices.IsSorted(s.Consumers) || len(s.Consumers) == 0 {
			t.Errorf("x-consumers = %q, want a sorted list", s.Consumers)
		}
		for _, service := range consumers[subject] {
			if !slices.Contains(s.Consumers, service) {
				t.Errorf("x-consumers = %q, want %s among them: one of its functions consumes the subject", s.Consumers, service)
			}
		}
		rule, telemetry := sampling[subject]
		if want := 1 / float64(max(1, rule.OneIn)); s.Sampling.Rate != want {
			t.Errorf("the sampling rate is %v, want %v", s.Sampling.Rate, want)
		}
		check.Equal(t, s.Sampling.Configurable, telemetry && !rule.Always, "whether the sampling is configurable")
	})
}

// catalogueOfEvents returns the published subjects, and by subject the services that consume it. The sandbox stands in for services of the
// platform, so it is no consumer of its own.
func catalogueOfEvents() (published map[string]event.Subject, consumers map[string][]string) {
	published, consumers = map[string]event.Subject{}, map[string][]string{}
	producers := map[string]string{}
	for _, f := range melmastoon.Functions {
		for _, s := range f.Spec.Publishes {
			published[s.Name] = s
			if f.Spec.Service() != "sandbox" {
				producers[f.Spec.Service()] = s.Producer
			}
		}
	}
	for _, f := range melmastoon.Functions {
		if service, ok := producers[f.Spec.Service()]; ok && f.Spec.Subject != "" {
			consumers[f.Spec.Subject] = append(consumers[f.Spec.Subject], service)
		}
	}
	return published, consumers
}

var keyMember = regexp.MustCompile(`[a-zA-Z]+`)

// TestEventSchemas_orderingKey holds the names in each ordering key: a member of the payload, or the tenant or session of the envelope.
func TestEventSchemas_orderingKey(t *testing.T) {
	t.Parallel()
	eachEvent(t, func(t *testing.T, _ string, s eventSchema) {
		names := keyMember.FindAllString(s.OrderingKey, -1)
		if len(names) == 0 {
			t.Errorf("x-ordering-key = %q, want members", s.OrderingKey)
		}
		for _, name := range names {
			if s.Properties[name] == nil && name != "tenantId" && name != "sessionId" {
				t.Errorf("x-ordering-key names %s, which neither payload nor envelope has", name)
			}
		}
	})
}

// TestEventSchemas_markEnums requires a decision for each list of values: an open list may get values without a new version, so its
// consumers must accept unknown ones.
func TestEventSchemas_markEnums(t *testing.T) {
	t.Parallel()
	eachEvent(t, func(t *testing.T, _ string, s eventSchema) {
		walk("", s.whole, func(pointer string, value any) bool {
			mark := openapitest.Member(value, "x-enum")
			if _, list := openapitest.Member(value, "enum").([]any); list != (mark == "open" || mark == "closed") {
				t.Errorf("%s: x-enum = %v, want open or closed beside each enum, and nowhere else", pointer, mark)
			}
			return !strings.HasPrefix(pointer, "/examples")
		})
	})
}

// personal matches names of members that identify a person or a device, or hold what a person typed.
var personal = regexp.MustCompile(`/(guestSessionId|sessionId|consumerSessionId|deviceId|guestId|userId|wishlistId|[a-zA-Z]+Hash|email|phone|freeText|originReferer|city|id)$`)

// notPersonal lists members that match only by their name.
var notPersonal = regexp.MustCompile(`/(queryHash|contactHash)$`)

// An exception is a set of members with the reason for their exception.
type exception struct {
	members *regexp.Regexp
	reason  string
}

// noFreeText lists members whose schema admits contact data though no person types them, or though they are checked by another rule.
var noFreeText = []exception{
	{regexp.MustCompile(`/(campaign|campaignAttribution|sourceCampaign|marketingAttribution)/properties/(source|medium|campaign)$`), "a name with contact data is dropped on entry; long ids stay"},
	{regexp.MustCompile(`/promoCode$`), "a code with contact data is rejected"},
	{regexp.MustCompile(`/(partnerId|folioId)$`), "an id of another system; it is scrubbed on entry"},
	{regexp.MustCompile(`/locale$`), "a language tag"},
	{regexp.MustCompile(`/(tenantSlug|tenantConfigVersion|themeVersion|changedKeys/items|hmacKeyId)$`), "a name in the configuration of a hotel or a service"},
	{regexp.MustCompile(`/(provider|paymentProvider|fxSnapshot/properties/source|policyApplied/properties/ref|policyAppliedRef)$`), "a name given by a service of the platform"},
	{regexp.MustCompile(`/(lines|extras)/items/properties/(kind|description)$`), "a text of the price list of a hotel"},
}

// takesContact reports whether a schema admits an e-mail address or a telephone number as the whole text.
func takesContact(value any) bool {
	kinds, several := openapitest.Member(value, "type").([]any)
	if openapitest.Member(value, "type") != "string" && !(several && slices.Contains(kinds, any("string"))) {
		return false
	}
	for _, keyword := range []string{"enum", "const", "format"} {
		if openapitest.Member(value, keyword) != nil {
			return false
		}
	}
	pattern, limited := openapitest.Member(value, "pattern").(string)
	return !limited || slices.ContainsFunc([]string{"zahra@example.com", "+93700123456", "+93 70 012 3456"}, regexp.MustCompile(pattern).MatchString)
}

// TestEventSchemas_markPersonalData requires x-pii on each member about a person, and on each member that admits contact data unless
// it has a reason in noFreeText. Members with x-pii free_text are published only if they are scrubbed.
func TestEventSchemas_markPersonalData(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	used := map[int]bool{}
	t.Run("members", func(t *testing.T) {
		eachEvent(t, func(t *testing.T, _ string, s eventSchema) {
			walk("", s.whole, func(pointer string, value any) bool {
				if strings.HasPrefix(pointer, "/examples") || inBranch.MatchString(pointer) {
					return false
				}
				mark, _ := openapitest.Member(value, "x-pii").(string)
				want := propertyAt.MatchString(pointer) && personal.MatchString(pointer) && !notPersonal.MatchString(pointer)
				if takesContact(value) && !want {
					excepted := slices.IndexFunc(noFreeText, func(e exception) bool { return e.members.MatchString(pointer) })
					mu.Lock()
					used[excepted] = true
					mu.Unlock()
					want = excepted < 0
				}
				if got := mark == "pseudonymous" || mark == "free_text"; got != want || mark != "" && !got {
					t.Errorf("%s: x-pii = %q, want pseudonymous or free_text: %t", pointer, mark, want)
				}
				return true
			})
		})
	})
	for i, e := range noFreeText {
		if !used[i] {
			t.Errorf("no member is like %s: remove it from noFreeText", e.members)
		}
	}
}

// TestEventSchemas_dualPublish requires a function that publishes the next version of a subject to publish the older one too, as long as that
// is in the tree.
func TestEventSchemas_dualPublish(t *testing.T) {
	t.Parallel()
	for _, missing := range unpublishedVersions(melmastoon.Functions) {
		t.Error(missing)
	}
	both := fn.Function{Spec: fn.Spec{Name: "both", Publishes: fn.Subjects{{Name: "a.held.v1"}, {Name: "a.held.v2"}}}}
	newer := fn.Function{Spec: fn.Spec{Name: "newer", Publishes: fn.Subjects{{Name: "a.held.v2"}}}}
	if got := unpublishedVersions([]fn.Function{both, newer}); len(got) != 1 || got[0] != "newer publishes a.held.v2 without a.held.v1" {
		t.Errorf("the check finds %q in functions of which one has only the newer version", got)
	}
	if got := unpublishedVersions([]fn.Function{newer}); len(got) != 0 {
		t.Errorf("the check finds %q after the older version has ended", got)
	}
}

var versioned = regexp.MustCompile(`^(.*\.v)([0-9]+)$`)

// unpublishedVersions returns the functions that publish a version without the one before, though another function still publishes that.
func unpublishedVersions(functions []fn.Function) (missing []string) {
	published := map[string]bool{}
	for _, f := range functions {
		for _, s := range f.Spec.Publishes {
			published[s.Name] = true
		}
	}
	for _, f := range functions {
		for _, s := range f.Spec.Publishes {
			parts := versioned.FindStringSubmatch(s.Name)
			if parts == nil {
				continue
			}
			version, err := strconv.Atoi(parts[2])
			if err != nil {
				continue // too long for a version
			}
			older := parts[1] + strconv.Itoa(version-1)
			if published[older] && !slices.ContainsFunc(f.Spec.Publishes, func(s event.Subject) bool { return s.Name == older }) {
				missing = append(missing, f.Spec.Name+" publishes "+s.Name+" without "+older)
			}
		}
	}
	return missing
}
