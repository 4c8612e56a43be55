package storefront

import (
	"fmt"
	"regexp"
)

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

func (v *Visitor) style() string {
	t := plainTokens
	if v.Bootstrap.Theme != nil && v.Bootstrap.Theme.Tokens.safe() {
		t = v.Bootstrap.Theme.Tokens
	}
	css, err := files.ReadFile("pages/page.css")
	if err != nil {
		panic(err) // cannot fail: the file is embedded
	}
	return fmt.Sprintf(":root{--primary:%s;--on-primary:%s;--accent:%s;--back:%s;--paper:%s;--ink:%s;--font:%s;--corner:%dpx}\n",
		t.Primary, t.OnPrimary, t.Accent, t.Background, t.Surface, t.Text, t.Font, t.Corner) + string(css)
}
