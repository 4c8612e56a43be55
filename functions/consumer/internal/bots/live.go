package bots

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"melmastoon.ghasi.io/functions/consumer/internal/session"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
)

// A Document is the stored form of rules, in the collection of the service's flags.
type Document struct {
	Rules jsontext.Value `json:"rules"` // in the form that [Parse] reads
}

// Key is the key of the document in its collection.
var Key = document.KeyOf("bots")

// reread is the maximum age of rules.
const reread = 30 * time.Second

// liveRules are the rules that apply now: those of the document, which is read again after 30 s. While the document is invalid or
// cannot be read, its last valid content applies; initially the built-in rules.
type liveRules struct {
	docs    document.Collection[Document]
	now     func() time.Time
	looked  atomic.Int64 // time of the last read, in Unix nanoseconds
	current atomic.Pointer[Rules]
}

func openRules(e env.Env) *liveRules {
	l := &liveRules{docs: document.Open[Document](e, session.FlagsIn), now: e.Now}
	rules := builtIn()
	l.current.Store(&rules)
	return l
}

// refresh reads the document again if it is due. Only one of several concurrent callers reads. It ignores errors, because rules
// must not fail a request.
func (l *liveRules) refresh(ctx context.Context) {
	now, looked := l.now().UnixNano(), l.looked.Load()
	if now-looked < int64(reread) || !l.looked.CompareAndSwap(looked, now) {
		return
	}
	kept, ok, err := l.docs.Get(ctx, Key)
	if err != nil || !ok {
		return
	}
	if rules, err := Parse(kept.Rules); err == nil {
		l.current.Store(&rules)
	}
}
