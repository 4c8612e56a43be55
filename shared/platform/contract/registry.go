package contract

import (
	"fmt"
	"io/fs"
	"path"
	"sync"
)

// A model says what a schema makes of members that it does not name.
type model int

const (
	open   model = iota // they pass
	closed              // they are refused
)

// A registry compiles schemas from files events/<subject>.json, each once, when first used. One rule serves both models.
type registry struct {
	files    fs.FS
	compiled sync.Map // of subject to func() (*rule, error)
}

func (r *registry) rule(subject string) (*rule, error) {
	compile, ok := r.compiled.Load(subject)
	if !ok {
		once := sync.OnceValues(func() (*rule, error) { return r.compile(subject) })
		compile, _ = r.compiled.LoadOrStore(subject, once)
	}
	return compile.(func() (*rule, error))()
}

func (r *registry) compile(subject string) (*rule, error) {
	schema, err := fs.ReadFile(r.files, path.Join("events", subject+".json"))
	if err != nil {
		return nil, fmt.Errorf("contract: schema of %q: %w", subject, err)
	}
	compiled, err := compile(schema)
	if err != nil {
		return nil, fmt.Errorf("contract: schema of %q: %w", subject, err)
	}
	return compiled, nil
}
