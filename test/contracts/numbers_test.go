package contracts

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"melmastoon.ghasi.io/shared/testkit/check"
)

// A number is a number of the business. Its copies must have the value of its source, a constant or a rule of Go.
type number struct {
	name   string
	source place
	copies []place
}

// A place says where a file states a number, and how often. The selector is the name of a Go constant, the end of a JSON pointer such as
// ttlSeconds/minimum, or a regular expression whose group is the number.
type place struct {
	file, selector string
	times          int
}

const (
	limits          = "shared/stay/limits.go"
	stays           = "shared/stay/stay.go"
	prune           = "jobs/prune/rules.go"
	consumerHTTP    = "schemas/http/consumer.yaml"
	reservationHTTP = "schemas/http/reservation.yaml"
	sandboxHTTP     = "schemas/http/sandbox.yaml"
	siteHTTP        = "schemas/http/tenantbooking.yaml"
	consumerSQL     = "schemas/postgres/bff_consumer/0001_init.up.sql"
	reservationSQL  = "schemas/postgres/reservation/0001_init.up.sql"
	sandboxSQL      = "schemas/postgres/sandbox/0001_init.up.sql"
	siteSQL         = "schemas/postgres/bff_tenant_booking/0001_init.up.sql"
	heldEvent       = "schemas/events/melmastoon.reservation.held.v1.json"
	settingsEvent   = "schemas/events/melmastoon.tenant.settings.changed.v1.json"
	requestEvent    = "schemas/events/melmastoon.reservation.special_request.added.v1.json"
)

var numbers = []number{
	{"shortest hold", place{limits, "MinHold", 1}, []place{
		{reservationHTTP, "ttlSeconds/minimum", 1}, {sandboxHTTP, "ttlSeconds/minimum", 1}, {sandboxHTTP, "holdTtlSeconds/minimum", 2},
		{heldEvent, "ttlSeconds/minimum", 1}, {settingsEvent, "holdTtlSeconds/minimum", 1},
		{reservationSQL, `ttl_seconds BETWEEN (\d+) AND`, 1}, {sandboxSQL, `hold_ttl_seconds BETWEEN (\d+) AND`, 1},
	}},
	{"longest hold", place{limits, "MaxHold", 1}, []place{
		{reservationHTTP, "ttlSeconds/maximum", 1}, {sandboxHTTP, "ttlSeconds/maximum", 1}, {sandboxHTTP, "holdTtlSeconds/maximum", 2},
		{heldEvent, "ttlSeconds/maximum", 1}, {settingsEvent, "holdTtlSeconds/maximum", 1},
		{reservationSQL, `ttl_seconds BETWEEN \d+ AND (\d+)`, 1}, {sandboxSQL, `hold_ttl_seconds BETWEEN \d+ AND (\d+)`, 1},
	}},
	{"default hold", place{limits, "DefaultHold", 1}, []place{{sandboxSQL, `hold_ttl_seconds +int NOT NULL DEFAULT (\d+)`, 1}}},
	{"default grace", place{limits, "DefaultGraceHours", 1}, []place{{sandboxSQL, `no_show_grace_hours +int NOT NULL DEFAULT (\d+)`, 1}}},
	{"longest grace", place{limits, "MaxGraceHours", 1}, []place{
		{sandboxHTTP, "noShowGraceHours/maximum", 2}, {settingsEvent, "noShowGraceHours/maximum", 1},
	}},
	{"rooms of a reservation", place{limits, "MaxRooms", 1}, []place{
		{reservationHTTP, "properties/items/maxItems", 2}, {sandboxHTTP, "properties/items/maxItems", 1},
		{sandboxHTTP, "HoldRequest/properties/allocations/maxItems", 1}, {sandboxHTTP, "rooms/maximum", 1},
	}},
	{"rooms of a booking on a site", place{limits, "MaxSiteRooms", 1}, []place{
		{consumerHTTP, "rooms/maximum", 2}, {consumerHTTP, `name: rooms, .*maximum: (\d+)`, 2},
		{siteHTTP, "rooms/maximum", 1}, {siteHTTP, `name: rooms, .*maximum: (\d+)`, 1},
	}},
	{"nights of a stay", place{stays, "maxNights", 1}, []place{
		{siteHTTP, `At most (\d+) nights later`, 1}, {sandboxSQL, `longest_stay CHECK \(ends_on - starts_on BETWEEN 1 AND (\d+)\)`, 1},
		{sandboxSQL, `p_end \+ (\d+) -- longest_stay`, 1}, {"functions/demo/sandbox/internal/search/found.go", `@end::date \+ (\d+)`, 2},
	}},
	{"guests in a room", place{stays, "maxOccupants", 1}, []place{
		{reservationHTTP, "adults/maximum", 1}, {reservationHTTP, "children/maximum", 1}, {reservationHTTP, "infants/maximum", 1},
	}},
	{"infants in a room", place{stays, "maxInfants", 1}, []place{
		{reservationHTTP, `At most (\d+) a room`, 1}, {sandboxHTTP, `At most (\d+) a room`, 1},
	}},
	{"adults of a search", place{"functions/consumer/internal/search/query.go", "maxAdults", 1}, []place{
		{consumerHTTP, "adults/maximum", 2}, {consumerHTTP, `name: adults, .*maximum: (\d+)`, 2},
	}},
	{"children of a search", place{"functions/consumer/internal/search/query.go", "maxChildren", 1}, []place{
		{consumerHTTP, "children/maximum", 2}, {consumerHTTP, `name: children, .*maximum: (\d+)`, 2},
	}},
	{"characters of a guest's requests", place{limits, "MaxDetailsLength", 1}, []place{
		{reservationHTTP, "specialRequests/maxLength", 2}, {siteHTTP, "specialRequests/maxLength", 1},
	}},
	{"characters of a special request", place{limits, "MaxRequestLength", 1}, []place{
		{reservationHTTP, "freeText/maxLength", 1}, {siteHTTP, "freeText/maxLength", 1}, {requestEvent, "freeText/maxLength", 1},
	}},
	{"tags of a special request", place{limits, "MaxRequestTags", 1}, []place{
		{reservationHTTP, "tags/maxItems", 2}, {siteHTTP, "tags/maxItems", 1}, {requestEvent, "tags/maxItems", 1},
		{reservationSQL, `cardinality\(tags\) BETWEEN 1 AND (\d+)`, 1},
	}},
	{"characters of a reason", place{"functions/reservation/internal/booking/terms.go", "MaxReasonLength", 1}, []place{
		{reservationHTTP, "reason/maxLength", 4},
	}},
	{"characters of a name", place{"shared/pseudonym/contact.go", "maxNameLength", 1}, []place{
		{reservationHTTP, "firstName/maxLength", 2}, {reservationHTTP, "lastName/maxLength", 2},
		{siteHTTP, "firstName/maxLength", 1}, {siteHTTP, "lastName/maxLength", 1},
	}},
	{"characters of an e-mail address", place{"shared/pseudonym/contact.go", "maxEmailLength", 1}, []place{
		{reservationHTTP, "email/maxLength", 2}, {siteHTTP, "email/maxLength", 1},
	}},
	{"characters of a note", place{"functions/consumer/internal/session/wishlist.go", "maxNoteLength", 1}, []place{
		{consumerHTTP, "Note/maxLength", 1}, {consumerSQL, `char_length\(note\) <= (\d+)`, 1},
	}},
	{"characters of a promo code on a site", place{"functions/tenantbooking/internal/booking/terms.go", "maxPromoLength", 1}, []place{
		{siteHTTP, "promoCode/maxLength", 1}, {"schemas/events/melmastoon.bff.tenant.booking.draft.created.v1.json", "promoCode/maxLength", 1},
	}},
	{"bytes of a promo code", place{"functions/reservation/internal/quotes/ask.go", "maxPromoLength", 1}, []place{
		{reservationHTTP, "promoCode/maxLength", 1},
	}},
	{"wishes", place{"functions/consumer/internal/session/wishlist.go", "MaxWishes", 1}, []place{
		{consumerHTTP, "wishlist/maxItems", 2}, {"schemas/events/melmastoon.bff.consumer.wishlist.added.v1.json", "wishlistSize/maximum", 1},
	}},
	{"viewed hotels", place{"functions/consumer/internal/session/session.go", "MaxViewed", 1}, []place{{consumerHTTP, "recentlyViewed/maxItems", 1}}},
	{"listings on a page", place{"functions/consumer/internal/search/filters.go", "maxListings", 1}, []place{
		{consumerHTTP, "limit/maximum", 1}, {consumerHTTP, "results/maxItems", 1},
	}},
	{"reservations on a page", place{"functions/reservation/find/request.go", "maxLimit", 1}, []place{
		{reservationHTTP, `name: limit, .*maximum: (\d+)`, 1},
	}},
	{"declined payments", place{"functions/demo/sandbox/internal/payment/intents.go", "MaxDeclines", 1}, []place{
		{sandboxHTTP, "attempts/maximum", 1}, {sandboxSQL, `CHECK \(attempts BETWEEN 0 AND (\d+)\)`, 1},
	}},
	{"life of a handoff", place{"shared/handoff/handoff.go", "Lifetime", 1}, []place{
		{consumerSQL, `minted_at \+ interval '(.+?)'`, 1}, {siteHTTP, `HANDOFF_EXPIRED: its (.+?) are over`, 2},
	}},
	{"life of a view token after the stay", place{"functions/tenantbooking/internal/booking/confirmations.go", "tokenTTL", 1}, []place{
		{prune, `stay_end < platform.now\(\) - interval '(.+?)'", Daily`, 1}, {siteSQL, `stay_end < platform.now\(\) - interval '(.+?)'`, 1},
		{siteSQL, `until (.+?) after the stay, as long as a view token`, 1},
	}},
	{"life of a visitor's session", place{"functions/consumer/internal/session/session.go", "sessionTTL", 1}, []place{
		{"jobs/database/backlog.go", `last_seen_at <= platform.now\(\) - interval '(.+?)'`, 1},
	}},
	{"time after which a payment counts as stuck", place{"functions/tenantbooking/internal/booking/waiting.go", "stuckAfter", 1}, []place{
		{"jobs/database/stuck.go", `created_at <= platform.now\(\) - interval '(.+?)'`, 1},
	}},
	{"term of an erasure", place{"functions/consumer/internal/session/erasures.go", "erasureTerm", 1}, []place{
		{consumerHTTP, `The erasure is due within (\d+ days)`, 1},
	}},
	{"retention of repeated answers", place{"shared/platform/fn/idempotency/store.go", `platform.now\(\) \+ interval '(.+?)'`, 2}, []place{
		{consumerSQL, `expires_at .*platform.now\(\) \+ interval '(.+?)'`, 1}, {siteSQL, `expires_at .*platform.now\(\) \+ interval '(.+?)'`, 1},
		{reservationSQL, `expires_at .*platform.now\(\) \+ interval '(.+?)'`, 1}, {consumerHTTP, `Idempotent-Replayed: true, for (\d+ hours)`, 1},
		{siteHTTP, `Idempotent-Replayed: true, for (\d+ hours)`, 1}, {reservationHTTP, `Idempotent-Replayed: true, for (\d+ hours)`, 1},
	}},
	{"retention of quotes", place{prune, `created_at < platform.now\(\) - interval '(.+?)'`, 1}, []place{
		{reservationSQL, `created_at < platform.now\(\) - interval '(.+?)'`, 2}, {reservationSQL, `sees and deletes quotes older than (\d+ days)`, 1},
		{reservationSQL, `of the quote, which is deleted after (\d+ days)`, 1},
	}},
	{"retention of guests without a booking", place{prune, `h.expires_at >= platform.now\(\) - interval '(.+?)'`, 1}, []place{
		{reservationSQL, `h.expires_at >= platform.now\(\) - interval ''(.+?)''`, 1},
	}},
	{"retention of guests after the stay", place{prune, `r.stay_end < \(platform.now\(\) - interval '(.+?)'`, 1}, []place{
		{reservationSQL, `stay_end < \(platform.now\(\) - interval '+(.+?)'`, 2},
	}},
	{"retention of handoff arrivals", place{prune, `received_at < platform.now\(\) - interval '(.+?)'`, 1}, []place{
		{siteSQL, `received_at < platform.now\(\) - interval '(.+?)'`, 1},
	}},
	{"retention of draft snapshots", place{prune, `finalized_at < platform.now\(\) - interval '(.+?)'`, 1}, []place{
		{siteSQL, `finalized_at < platform.now\(\) - interval '(.+?)'`, 1},
	}},
	{"retention of processed events", place{prune, `processed_at < platform.now\(\) - interval '(.+?)'`, 1}, []place{
		{"terraform/topics.tf", `=> \{ (days = \d+), page_above = 0 \}`, 1}, {"terraform/topics.tf", `consumer +=\s+\{ (days = \d+),`, 1},
	}},
	{"retention of messages", place{"shared/local/bus/run.go", "kept", 1}, []place{
		{"shared/local/emulated/admin.go", "kept", 1}, {"terraform/topics.tf", `message_retention_duration = "\$\{([\d *]+)\}s"`, 1},
		{"terraform/modules/subscription/main.tf", `message_retention_duration = "\$\{([\d *]+)\}s"`, 1},
	}},
}

// TestNumbers wants each number of the business to have one value in Go, SQL, JSON Schema, OpenAPI and Terraform.
func TestNumbers(t *testing.T) {
	t.Parallel()
	sources := newSources(nil)
	for _, n := range numbers {
		for _, fault := range sources.faults(n) {
			t.Errorf("%s: %s", n.name, fault)
		}
	}
}

// TestNumbers_changed changes one place of each kind and wants it to be found.
func TestNumbers_changed(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, number, file, old, changed string }{
		{"Go", "longest hold", limits, "1800 * time.Second", "2400 * time.Second"},
		{"rule of Go", "retention of quotes", prune, "created_at < platform.now() - interval '90", "created_at < platform.now() - interval '30"},
		{"SQL CHECK", "longest hold", reservationSQL, "ttl_seconds BETWEEN 120 AND 1800", "ttl_seconds BETWEEN 120 AND 1200"},
		{"SQL interval", "retention of guests after the stay", reservationSQL, "interval ''3 years''", "interval ''1 year''"},
		{"JSON Schema", "longest hold", heldEvent, `"maximum": 1800`, `"maximum": 3600`},
		{"OpenAPI", "longest hold", reservationHTTP, "ttlSeconds: { type: integer, minimum: 120, maximum: 1800", "ttlSeconds: { type: integer, minimum: 120"},
		{"OpenAPI text", "life of a handoff", siteHTTP, "its 30 minutes are over", "its 10 minutes are over"},
		{"Terraform", "retention of messages", "terraform/topics.tf", "${7 * 24 * 60 * 60}s", "${1 * 24 * 60 * 60}s"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			text := check.Got(readFile(test.file)).Must(t)
			if !strings.Contains(text, test.old) {
				t.Fatalf("%s does not contain %q", test.file, test.old)
			}
			changed := newSources(map[string]string{test.file: strings.Replace(text, test.old, test.changed, 1)})
			for _, n := range numbers {
				if n.name == test.number && changed.faults(n) == nil {
					t.Errorf("%s: no fault after %q became %q", n.name, test.old, test.changed)
				}
			}
		})
	}
}

// sources are the files of the project, each read once.
type sources struct {
	texts     map[string]string
	documents map[string]any
}

// newSources returns the files with the given texts, and all others as they are.
func newSources(texts map[string]string) sources {
	s := sources{texts: map[string]string{}, documents: map[string]any{}}
	maps.Copy(s.texts, texts)
	return s
}

func readFile(name string) (string, error) {
	text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(name)))
	return string(text), err
}

// faults says which places of a number cannot be read, and which copies differ from the source.
func (s sources) faults(n number) (found []string) {
	want, err := s.value(n.source)
	if err != nil {
		return []string{err.Error()}
	}
	if len(n.copies) == 0 {
		found = append(found, "has no copy")
	}
	for _, p := range n.copies {
		if got, err := s.value(p); err != nil {
			found = append(found, err.Error())
		} else if got != want {
			found = append(found, fmt.Sprintf("%s in %s = %d, want %d as in %s", p.selector, p.file, got, want, n.source.file))
		}
	}
	return found
}

// value returns the number at a place, which all its matches must have.
func (s sources) value(p place) (value int64, err error) {
	found, err := s.find(p)
	if err != nil {
		return 0, err
	}
	if len(found) != p.times {
		return 0, fmt.Errorf("%s in %s matches %d times, want %d", p.selector, p.file, len(found), p.times)
	}
	for i, text := range found {
		v, err := evaluate(text)
		if err != nil {
			return 0, fmt.Errorf("%s in %s: %w", p.selector, p.file, err)
		}
		if i > 0 && v != value {
			return 0, fmt.Errorf("%s in %s is %d and %d", p.selector, p.file, value, v)
		}
		value = v
	}
	return value, nil
}

var constantName = regexp.MustCompile(`^\w+$`)

// find returns the texts of the numbers at a place.
func (s sources) find(p place) (found []string, err error) {
	text, ok := s.texts[p.file]
	if !ok {
		if text, err = readFile(p.file); err != nil {
			return nil, err
		}
		s.texts[p.file] = text
	}
	selector := p.selector
	switch {
	case constantName.MatchString(selector):
		selector = `(?m)^\s*(?:const )?` + selector + `\s+=\s+([^/\n]+)`
	case !strings.Contains(selector, "("):
		if s.documents[p.file] == nil {
			var document any
			if err := yaml.Unmarshal([]byte(text), &document); err != nil { // JSON is YAML
				return nil, fmt.Errorf("%s: %w", p.file, err)
			}
			s.documents[p.file] = document
		}
		walk("", s.documents[p.file], func(pointer string, value any) bool {
			if strings.HasSuffix(pointer, "/"+selector) {
				found = append(found, fmt.Sprint(value))
			}
			return !inExample.MatchString(pointer)
		})
		return found, nil
	}
	pattern, err := regexp.Compile(selector)
	if err != nil {
		return nil, err
	}
	for _, match := range pattern.FindAllStringSubmatch(text, -1) {
		found = append(found, match[1])
	}
	return found, nil
}

// inSeconds replaces the units of periods in Go, SQL, Terraform and prose.
var inSeconds = strings.NewReplacer(
	"time.Second", "1", "time.Minute", "60", "time.Hour", "3600", "days = ", "86400*",
	" minutes", "*60", " hours", "*3600", " days", "*86400", " years", "*31536000", " year", "*31536000",
)

// evaluate returns the value of an expression such as 30 * 24 * time.Hour, or of a period such as 30 days, in seconds.
func evaluate(text string) (int64, error) {
	v, err := types.Eval(token.NewFileSet(), nil, token.NoPos, inSeconds.Replace(strings.TrimSpace(text)))
	if err != nil {
		return 0, err
	}
	value, exact := constant.Int64Val(constant.ToInt(v.Value))
	if !exact {
		return 0, fmt.Errorf("%q is no integer", text)
	}
	return value, nil
}
