package normal

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
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
	schemas int   // inlined so far
	err     error // the first one; inline stops after it
}

func (r *resolver) fail(format string, values ...any) Schema {
	if r.err == nil {
		r.err = fmt.Errorf(format, values...)
	}
	return Schema{}
}

// maxSchemas bounds a document whose references are replaced by their targets: references to references can double it many times.
const maxSchemas = 200_000

// unsupported are keywords that refer to schemas in a way that inline does not follow.
var unsupported = []string{"$dynamicRef", "$recursiveRef", "dependencies", "additionalItems"}

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
func (r *resolver) inline(value any, trail []string) Schema {
	s, ok := value.(Schema)
	r.schemas++
	switch {
	case r.schemas > maxSchemas:
		return r.fail("more than %d schemas after references are replaced by their targets", maxSchemas)
	case r.err != nil, value == true:
		return Schema{}
	case value == false:
		return Never()
	case !ok:
		return r.fail("%v is no schema", value)
	}
	r.supported(s)
	reference, refers := s["$ref"].(string)
	beside := maps.Clone(s)
	for _, keyword := range []string{"$ref", "$defs", "definitions", "$anchor"} {
		delete(beside, keyword)
	}
	rest := Each(beside, func(part any) any { return r.inline(part, trail) })
	if !refers {
		return rest
	}
	target := r.follow(reference, trail)
	if constrains(rest) {
		return Schema{"allOf": []any{target, rest}}
	}
	maps.Copy(target, rest)
	return target
}

// supported rejects keywords with which inline would resolve references wrongly.
func (r *resolver) supported(s Schema) {
	for _, keyword := range unsupported {
		if s[keyword] != nil {
			r.fail("keyword %s is not supported", keyword)
		}
	}
	if id, ok := s["$id"].(string); ok && id != r.id {
		r.fail("$id %q of a part of the document is not supported", id)
	}
}

// follow returns the target of a reference without references.
func (r *resolver) follow(reference string, trail []string) Schema {
	target, err := r.resolve(reference)
	if err != nil {
		return r.fail("$ref %q: %w", reference, err)
	}
	if i := slices.Index(trail, reference); i >= 0 {
		if r.appliesInPlace(target, reference, map[string]bool{}) {
			return r.fail("$ref %q: leads to itself for the same value", reference)
		}
		return Schema{"$recursion": strconv.Itoa(len(trail) - i)}
	}
	return r.inline(target, append(slices.Clip(trail), reference))
}

// appliesInPlace reports whether a schema applies the target of a reference to the same value.
func (r *resolver) appliesInPlace(value any, reference string, seen map[string]bool) bool {
	s, _ := value.(Schema)
	if next, ok := s["$ref"].(string); ok && !seen[next] {
		seen[next] = true
		target, err := r.resolve(next)
		if next == reference || err == nil && r.appliesInPlace(target, reference, seen) {
			return true
		}
	}
	return slices.ContainsFunc(InPlace(s), func(part any) bool { return r.appliesInPlace(part, reference, seen) })
}

func (r *resolver) resolve(reference string) (any, error) {
	document, fragment, _ := strings.Cut(reference, "#")
	fragment, err := url.PathUnescape(fragment)
	if err != nil {
		return nil, err
	}
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
