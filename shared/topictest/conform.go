package topictest

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/topic"
)

// A Driver is what the suite holds to the contract of package topic.
type Driver interface {
	topic.Publisher
	Subscribe(ctx context.Context, subscriptions []topic.Subscription) error
	Run(ctx context.Context) error
}

// A Rig is a driver under test, together with the world it stands in.
type Rig struct {
	Open    func() Driver                // a new one on what earlier ones have kept: that is a restart
	Advance func(time.Duration)          // lets the driver's time pass
	Token   func(audience string) string // what a push must carry
}

// Conform runs the suite. Each test asks for a rig of its own.
func Conform(t *testing.T, rig func(testing.TB) Rig) {
	for name, test := range map[string]func(*testing.T, Rig){
		"a push is the message as a CloudEvent with its metadata":          isWholeMessage,
		"a push carries an identity token for the audience":                carriesToken,
		"only what the filter lets through is pushed":                      filters,
		"a subscription gets what is published from then on":               subscribesFromThenOn,
		"messages of a key arrive in order and one at a time":              keepsOrder,
		"a failing key holds up no other":                                  holdsUpNoOther,
		"a push that failed is repeated after a time that doubles":         backsOff,
		"an answer that is too late is none":                               keepsDeadline,
		"after exactly so many attempts a message goes to its dead letter": buries,
		"redirects are not followed":                                       staysWhereItWasSent,
		"what is owed survives a restart":                                  survivesRestart,
		"which answers acknowledge":                                        acknowledges,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, rig(t))
		})
	}
}

// ConformPublisher runs the part of the suite that needs no subscription. Stored tells what has been published so far.
func ConformPublisher(t *testing.T, p topic.Publisher, stored func() []topic.Message) {
	t.Helper()
	messages := []topic.Message{
		text("a", "k1", "1"), text("a", "k2", "2"),
		{Topic: "a", OrderingKey: "k1", Attributes: map[string]string{"name": "line\nbreak"}, Data: []byte("3")},
		text("a", "k1", "4"), text("b", "k1", "5"), text("a", "k2", "6"), text("a", "", "7"),
		{Topic: "a", Attributes: map[string]string{"no token": "x"}, Data: []byte("8")},
		text("a", "", "9"),
		{Topic: "a", OrderingKey: "k3\x00", Data: []byte("10")},
		{OrderingKey: "k4", Data: []byte("11")},
	}
	want := []error{nil, nil, topic.ErrRefused, topic.ErrHeldBack, nil, nil, nil, topic.ErrRefused, nil, topic.ErrRefused, topic.ErrRefused}
	errs := p.Publish(t.Context(), messages)
	if len(errs) != len(messages) {
		t.Fatalf("got %d answers to %d messages", len(errs), len(messages))
	}
	var published []string
	for i, err := range errs {
		if !errors.Is(err, want[i]) {
			t.Errorf("message %d: got %v, want %v", i+1, err, want[i])
		}
		if want[i] == nil {
			published = append(published, string(messages[i].Data))
		}
	}
	var kept []string
	for _, m := range stored() {
		kept = append(kept, string(m.Data))
	}
	if !slices.Equal(kept, published) {
		t.Errorf("published are %v, want %v", kept, published)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := p.Publish(over, []topic.Message{text("a", "k1", "12")})[0]; err == nil {
		t.Error("published although the time was over")
	}
}
