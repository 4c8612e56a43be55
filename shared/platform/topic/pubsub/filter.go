package pubsub

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"melmastoon.ghasi.io/shared/platform/topic"
)

// Filter returns the subscription's filter in Pub/Sub's filter language: it matches messages with the wanted attributes, except
// replays for another subscription.
func Filter(s topic.Subscription) string {
	var terms []string
	for _, name := range slices.Sorted(maps.Keys(s.Filter)) {
		terms = append(terms, "attributes."+strconv.Quote(name)+" = "+strconv.Quote(s.Filter[name]))
	}
	own := fmt.Sprintf("(NOT attributes:%[1]q OR attributes.%[1]q = %[2]q)", topic.ReplayTo, s.Name)
	return strings.Join(append(terms, own), " AND ")
}
