package contract

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// A model says what a schema makes of members that it does not name.
type model int

const (
	open   model = iota // they pass
	closed              // they are refused
)

// A registry compiles schemas from files events/<subject>.json, each once per model, when first used.
type registry struct {
	files    fs.FS
	compiled sync.Map // of key to func() (*jsonschema.Schema, error)
}

type key struct {
	subject string
	model   model
}

func (r *registry) schema(subject string, m model) (*jsonschema.Schema, error) {
	k := key{subject, m}
	compile, ok := r.compiled.Load(k)
	if !ok {
		once := sync.OnceValues(func() (*jsonschema.Schema, error) { return r.compile(k) })
		compile, _ = r.compiled.LoadOrStore(k, once)
	}
	schema, err := compile.(func() (*jsonschema.Schema, error))()
	if err != nil {
		return nil, fmt.Errorf("contract: schema of %q: %w", subject, err)
	}
	return schema, nil
}

func (r *registry) compile(k key) (*jsonschema.Schema, error) {
	file, err := r.files.Open(path.Join("events", k.subject+".json"))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	document, err := jsonschema.UnmarshalJSON(file)
	if err != nil {
		return nil, err
	}
	if k.model == closed {
		seal(document)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	compiler.UseLoader(nowhere{})
	name := "events:" + k.subject
	if err := compiler.AddResource(name, document); err != nil {
		return nil, err
	}
	return compiler.Compile(name)
}

// nowhere refuses every reference out of a schema's own file: a file is published, and read, alone.
type nowhere struct{}

func (nowhere) Load(url string) (any, error) {
	return nil, errors.New("refers to another document: " + url)
}
