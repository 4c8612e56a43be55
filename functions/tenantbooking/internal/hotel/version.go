package hotel

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
)

// Version returns the version of the tenant's configuration, in the form of events.
func (t Tenant) Version() string { return "v" + strconv.Itoa(t.ConfigVersion) }

// BootstrapVersion returns the version of a bootstrap with that theme, in the form that Outdated reads.
func (t Tenant) BootstrapVersion(theme string) string {
	return t.Version() + "-" + t.terms() + "." + theme
}

// terms returns a hash of the settings that a booking depends on: currencies, languages, payment methods and limits.
func (t Tenant) terms() string {
	text, _ := json.Marshal([]any{t.Currency, t.Currencies, t.Locales, t.PaymentMethods, t.Settings}) // cannot fail
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:4])
}

// Outdated reports whether the client's version has an older configuration of the tenant with other terms. A new tagline
// or theme does not make a client outdated. A client with a newer configuration is not outdated either: the cached
// tenant is.
func (t Tenant) Outdated(given string) bool {
	config, _, _ := strings.Cut(given, ".")
	config, terms, _ := strings.Cut(config, "-")
	version, err := strconv.Atoi(strings.TrimPrefix(config, "v"))
	return given != "" && (err != nil || version < t.ConfigVersion && terms != t.terms())
}
