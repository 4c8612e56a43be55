package contract

import (
	"regexp"
	"sync"
)

// A pattern is a regular expression, compiled once for all schemas that have the same text.
type pattern struct{ expression *regexp.Regexp }

func (p *pattern) matches(content []byte) bool { return p.expression.Match(content) }

var patterns sync.Map // of text to *pattern

func patternOf(text string) (*pattern, error) {
	if known, ok := patterns.Load(text); ok {
		return known.(*pattern), nil
	}
	expression, err := regexp.Compile(text)
	if err != nil {
		return nil, err
	}
	p, _ := patterns.LoadOrStore(text, &pattern{expression})
	return p.(*pattern), nil
}
