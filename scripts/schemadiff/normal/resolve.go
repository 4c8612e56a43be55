package normal

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Annotations reports whether a keyword says something to readers and nothing to validators.
func Annotations(keyword string) bool {
	return strings.HasPrefix(keyword, "x-") || slices.Contains(annotations, keyword)
}

var annotations = []string{"$comment", "title", "description", "examples", "default", "deprecated", "deprecatedSince", "readOnly", "writeOnly"}

// A resolver replaces references by their targets.
type resolver struct {
	root    any
	id      string
	anchors map[string]any
}

func newResolver(document any) *resolver {
	r := &resolver{root: document, anchors: map[string]any{}}
	if root, ok := document.(Schema); ok {
		r.id, _ = root["$id"].(string)
	}
	r.collect(document)
	return r
}

// collect finds the anchors.
func (r *resolver) collect(value any) {
	switch v := value.(type) {
	case Schema:
		if name, ok := v["$anchor"].(string); ok {
			r.anchors[name] = v
		}
		for _, part := range v {
			r.collect(part)
		}
	case []any:
		for _, part := range v {
			r.collect(part)
		}
	}
}

// inline returns a schema without references and definitions. The trail has the references that led to it. A reference that is already in
// the trail is recursion: it becomes the distance to its target.
func (r *resolver) inline(value any, trail []string) (Schema, error) {
	s, ok := value.(Schema)
	switch {
	case value == true:
		return Schema{}, nil
	case value == false:
		return Never(), nil
	case !ok:
		return nil, fmt.Errorf("%v is no schema", value)
	}
	reference, refers := s["$ref"].(string)
	beside := maps.Clone(s)
	for _, keyword := range []string{"$ref", "$defs", "definitions", "$anchor"} {
		delete(beside, keyword)
	}
	rest, err := each(beside, func(part any) (Schema, error) { return r.inline(part, trail) })
	if err != nil || !refers {
		return rest, err
	}
	target, err := r.follow(reference, trail)
	if err != nil {
		return nil, err
	}
	for keyword := range rest {
		if !Annotations(keyword) {
			return Schema{"allOf": []any{target, rest}}, nil
		}
	}
	target = maps.Clone(target)
	maps.Copy(target, rest)
	return target, nil
}

func (r *resolver) follow(reference string, trail []string) (Schema, error) {
	if i := slices.Index(trail, reference); i >= 0 {
		return Schema{"$recursion": strconv.Itoa(len(trail) - i)}, nil
	}
	target, err := r.resolve(reference)
	if err != nil {
		return nil, fmt.Errorf("$ref %q: %w", reference, err)
	}
	return r.inline(target, append(slices.Clip(trail), reference))
}

func (r *resolver) resolve(reference string) (any, error) {
	document, fragment, _ := strings.Cut(reference, "#")
	if document != "" && document != r.id {
		return nil, errors.New("leads out of the document")
	}
	if target, ok := r.anchors[fragment]; ok {
		return target, nil
	}
	target := r.root
	for _, name := range strings.Split(fragment, "/")[1:] {
		name = strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
		switch v := target.(type) {
		case Schema:
			target = v[name]
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(v) {
				return nil, errors.New("has no target")
			}
			target = v[i]
		}
		if target == nil {
			return nil, errors.New("has no target")
		}
	}
	if fragment != "" && fragment[0] != '/' {
		return nil, errors.New("has no target")
	}
	return target, nil
}
