package pubsub

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Filter writes the attributes that a message must have as Pub/Sub's filter language does.
func Filter(attributes map[string]string) string {
	var terms []string
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		terms = append(terms, "attributes."+strconv.Quote(name)+" = "+strconv.Quote(attributes[name]))
	}
	return strings.Join(terms, " AND ")
}
