package topictest

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/platform/topic"
)

// A Driver is what the suite holds to the contract of package topic.
type Driver interface {
	topic.Publisher
	Subscribe(ctx context.Context, subscriptions []topic.Subscription) error
	Run(ctx context.Context) error
}

// A Setup is a driver under test, together with the world it stands in. A world that does not wait needs no Advance and no Settled.
type Setup struct {
	Open    func() Driver                // a new one on what earlier ones have kept: that is a restart
	Advance func(time.Duration)          // lets the driver's time pass
	Settled func(testing.TB)             // returns when what became of each push so far is written down
	Token   func(audience string) string // what a push must carry
	Lacks   []Trait                      // what the world does not do, although the real one does
}

// A Trait is something of Pub/Sub's that what stands for it may lack.
type Trait string

// The traits that Google's emulator lacks, whatever is put around it. Its users must not rely on them there.
const (
	Waits Trait = "a repeat comes after the time that was asked for"
	Keeps Trait = "what is owed survives a restart"
)

func (r Setup) does(trait Trait) bool { return !slices.Contains(r.Lacks, trait) }

// Conform runs the suite. Each test asks for a rig of its own, and is left out where its world lacks what it is about.
func Conform(t *testing.T, rig func(testing.TB) Setup) {
	for name, test := range map[string]struct {
		needs []Trait
		run   func(*testing.T, Setup)
	}{
		"a push is the message as a CloudEvent with its metadata":          {nil, isWholeMessage},
		"a push carries an identity token for the audience":                {nil, carriesToken},
		"only what the filter lets through is pushed":                      {nil, filters},
		"what is published again for one reaches no other":                 {nil, reachesNoOther},
		"a subscription gets what is published from then on":               {nil, subscribesFromThenOn},
		"messages of a key arrive in order and one at a time":              {nil, keepsOrder},
		"a failing key holds up no other":                                  {nil, holdsUpNoOther},
		"a push that failed is repeated after a time that doubles":         {[]Trait{Waits}, backsOff},
		"an answer that is too late is none":                               {nil, keepsDeadline},
		"after exactly so many attempts a message goes to its dead letter": {nil, buries},
		"redirects are not followed":                                       {nil, staysWhereItWasSent},
		"what is owed survives a restart":                                  {[]Trait{Keeps}, survivesRestart},
		"which answers acknowledge":                                        {nil, acknowledges},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := rig(t)
			for _, trait := range test.needs {
				if !r.does(trait) {
					t.Skipf("not so in this world: %s", trait)
				}
			}
			test.run(t, r)
		})
	}
}

// ConformPublisher runs the part of the suite that needs no subscription. Stored tells what has been published so far.
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
		t.Fatalf("got %d answers to %d messages", len(errs), len(messages))
	}
	var published []topic.Message
	for i, err := range errs {
		if !errors.Is(err, want[i]) {
			t.Errorf("message %d: got %v, want %v", i+1, err, want[i])
		}
		if want[i] == nil {
			published = append(published, messages[i])
		}
	}
	if got, want := byKey(stored()), byKey(published); !reflect.DeepEqual(got, want) {
		t.Errorf("published are %v, want %v", got, want)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := p.Publish(over, []topic.Message{text("orders", "k1", "12")})[0]; err == nil {
		t.Error("published although the time was over")
	}
}

// byKey is what the messages of each topic and key say, in their order. Between keys there is none, nor without one.
func byKey(messages []topic.Message) map[string][]string {
	said := map[string][]string{}
	for _, m := range messages {
		key := m.Topic + "/" + m.OrderingKey
		said[key] = append(said[key], string(m.Data))
		if m.OrderingKey == "" {
			slices.Sort(said[key])
		}
	}
	return said
}
