package topictest

import (
	"context"
	"reflect"
	"slices"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/platform/topic"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// A Driver is an implementation of package topic under test.
type Driver interface {
	topic.Publisher
	Subscribe(ctx context.Context, subscriptions []topic.Subscription) error
	Run(ctx context.Context) error
}

// A Setup is a driver under test with its environment. A driver that lacks Waits needs no Advance and Settled.
type Setup struct {
	Open    func() Driver                // opens another driver on the same data, as after a restart
	Advance func(time.Duration)          // advances the driver's clock
	Settled func(testing.TB)             // returns when the result of each push is stored
	Token   func(audience string) string // the token expected in pushes
	Lacks   []Trait                      // features of Pub/Sub that the driver does not have
}

// A Trait is a feature of Pub/Sub that a replacement may lack.
type Trait string

// The features that Google's emulator lacks even behind package emulated. Tests on it must not rely on them.
const (
	Waits Trait = "a retry comes after the configured backoff"
	Keeps Trait = "pending deliveries survive a restart"
)

func (r Setup) does(trait Trait) bool { return !slices.Contains(r.Lacks, trait) }

// Conform runs the suite. Each test gets a setup of its own, and is skipped if the driver lacks the tested feature.
func Conform(t *testing.T, setup func(testing.TB) Setup) {
	for name, test := range map[string]struct {
		needs []Trait
		run   func(*testing.T, Setup)
	}{
		"CloudEvent with metadata":       {nil, isWholeMessage},
		"identity token":                 {nil, carriesToken},
		"filter":                         {nil, filters},
		"replay for one subscription":    {nil, reachesNoOther},
		"new subscription":               {nil, subscribesFromThenOn},
		"order of a key":                 {nil, keepsOrder},
		"failing key":                    {nil, holdsUpNoOther},
		"exponential backoff":            {[]Trait{Waits}, backsOff},
		"late response":                  {nil, keepsDeadline},
		"dead letter after max attempts": {nil, deadLettersAfterAttempts},
		"redirect":                       {nil, staysWhereItWasSent},
		"restart":                        {[]Trait{Keeps}, survivesRestart},
		"acknowledging statuses":         {nil, acknowledges},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := setup(t)
			for _, trait := range test.needs {
				if !r.does(trait) {
					t.Skipf("not so in this world: %s", trait)
				}
			}
			test.run(t, r)
		})
	}
}

// ConformPublisher runs the part of the suite that needs no subscription. Stored returns the messages published so far.
func ConformPublisher(t *testing.T, p topic.Publisher, stored func() []topic.Message) {
	t.Helper()
	messages := []topic.Message{
		text("orders", "k1", "1"), text("orders", "k2", "2"),
		{Topic: "orders", OrderingKey: "k1", Attributes: map[string]string{"name": "line\nbreak"}, Data: []byte("3")},
		text("orders", "k1", "4"), text("others", "k1", "5"), text("orders", "k2", "6"), text("orders", "", "7"),
		{Topic: "orders", Attributes: map[string]string{"no token": "x"}, Data: []byte("8")},
		text("orders", "", "9"),
		{Topic: "orders", OrderingKey: "k3\x00", Data: []byte("10")},
		{OrderingKey: "k4", Data: []byte("11")},
	}
	want := []error{nil, nil, topic.ErrRefused, topic.ErrHeldBack, nil, nil, nil, topic.ErrRefused, nil, topic.ErrRefused, topic.ErrRefused}
	errs := p.Publish(t.Context(), messages)
	if len(errs) != len(messages) {
		t.Fatalf("got %d errors for %d messages", len(errs), len(messages))
	}
	var published []topic.Message
	for i, err := range errs {
		check.Error(t, err, want[i], "message %d", i+1)
		if want[i] == nil {
			published = append(published, messages[i])
		}
	}
	if got, want := byKey(stored()), byKey(published); !reflect.DeepEqual(got, want) {
		t.Errorf("published messages: got %v, want %v", got, want)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	check.Fails(t, p.Publish(over, []topic.Message{text("orders", "k1", "12")})[0], "publish with an expired context")
}

// byKey returns the bodies of messages by topic and ordering key, in order. Order is defined only within a key.
func byKey(messages []topic.Message) map[string][]string {
	got := map[string][]string{}
	for _, m := range messages {
		key := m.Topic + "/" + m.OrderingKey
		got[key] = append(got[key], string(m.Data))
		if m.OrderingKey == "" {
			slices.Sort(got[key])
		}
	}
	return got
}
