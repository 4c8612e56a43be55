package page

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"regexp"
)

//go:embed page.css
var sheet string

// Tokens are the values of a theme that the style sheet uses.
type Tokens struct {
	Primary    string `json:"primaryColor"` // colours as #rrggbb
	OnPrimary  string `json:"onPrimaryColor"`
	Accent     string `json:"accentColor"`
	Background string `json:"backgroundColor"`
	Surface    string `json:"surfaceColor"`
	Text       string `json:"textColor"`
	Font       string `json:"fontFamily"`
	Corner     int    `json:"cornerRadius"` // in pixels
}

var (
	colour = regexp.MustCompile(`^#[0-9a-f]{6}$`)
	font   = regexp.MustCompile(`^(serif|sans-serif|system-ui)$`)
)

// safe reports whether the tokens can be written into a style sheet: none of their forms can end the sheet and begin a
// script.
func (t Tokens) safe() bool {
	for _, c := range []string{t.Primary, t.OnPrimary, t.Accent, t.Background, t.Surface, t.Text} {
		if !colour.MatchString(c) {
			return false
		}
	}
	return font.MatchString(t.Font)
}

// plainTokens is the design of a hotel without a theme or with unsafe tokens.
var plainTokens = Tokens{Primary: "#0b5d4a", OnPrimary: "#ffffff", Accent: "#b0762b", Background: "#f3f4f1", Surface: "#ffffff",
	Text: "#1c2526", Font: "system-ui", Corner: 8}

// Style returns the style sheet of all sites in the design of a theme, followed by the rules of one of them, and the content
// security policy of a page with it. The policy allows only this style sheet, by its hash, and images in data URLs.
func Style(t *Tokens, more string) (style template.CSS, policy string) {
	if t == nil || !t.safe() {
		t = &plainTokens
	}
	text := fmt.Sprintf(":root{--primary:%s;--on-primary:%s;--accent:%s;--back:%s;--paper:%s;--ink:%s;--font:%s;--corner:%dpx}\n",
		t.Primary, t.OnPrimary, t.Accent, t.Background, t.Surface, t.Text, t.Font, t.Corner) + sheet + more
	sum := sha256.Sum256([]byte(text))
	policy = "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; img-src data:; base-uri 'none'"
	return template.CSS(text), policy //nolint:gosec // our own style sheet and validated tokens
}
