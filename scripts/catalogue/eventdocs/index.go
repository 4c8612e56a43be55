package eventdocs

import (
	_ "embed" // the introduction
	"fmt"
	"strings"
)

// IndexFile is the path of the index, from the root of the tree.
const IndexFile = "schemas/events/README.md"

//go:embed index.md
var introduction string

// Index returns the list of all events in Markdown.
func Index(all []Schema) []byte {
	var b strings.Builder
	b.WriteString(introduction)
	b.WriteString("\n| event | publisher | consumers | kept | sampling | ordering key | personal data |\n|---|---|---|---|---|---|---|\n")
	for _, s := range all {
		fmt.Fprintf(&b, "| [%s](%s.json)<br>%s%s | %s | %s | %s %s | %s | `%s` | %s |\n", s.Subject, s.Subject, s.Description, s.deprecation(), s.Publisher,
			strings.Join(s.Consumers, ", "), s.Retention.Class, s.Retention.Period, s.Sampling, strings.ReplaceAll(s.OrderingKey, "|", `\|`), list(s.personal()))
	}
	fmt.Fprintf(&b, "\n%d subjects.\n", len(all))
	return []byte(b.String())
}

func (s Schema) deprecation() string {
	if s.Deprecated == "" {
		return ""
	}
	return "<br>Deprecated since " + s.Deprecated + "."
}

// String returns the sampling in words.
func (s Sampling) String() string {
	words := "all"
	if s.Rate < 1 {
		words = fmt.Sprintf("%g", s.Rate)
	}
	if s.Debounce != "" {
		words = fmt.Sprintf("one per %s and %s", s.Per, s.Debounce)
	}
	if s.Configurable {
		words += ", configurable"
	}
	return words
}

func list(names []string) string {
	if len(names) == 0 {
		return "no"
	}
	return strings.Join(names, ", ")
}
