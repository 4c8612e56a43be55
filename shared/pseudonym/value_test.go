package pseudonym

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"unicode/utf8"

	"melmastoon.ghasi.io/shared/testkit/check"
)

func TestEmail(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"zahra@example.af":               "zahra@example.af",
		" Zahra.Karimi@Example.AF\r\n":   "zahra.karimi@example.af",
		"\u00a0zahra+hotel@example.af":   "zahra+hotel@example.af",
		"زهرا@مثال.افغانستان":            "زهرا@مثال.افغانستان",
		`"a@b"@example.af`:               `"a@b"@example.af`,
		"ÖZGÜR@example.af":               "özgür@example.af",
		"":                               "",
		"   ":                            "",
		"zahra":                          "",
		"@example.af":                    "",
		"zahra@":                         "",
		"zahra@example.af@":              "",
		"zahra karimi@example.af":        "",
		"zahra@example.af\x00":           "",
		"zahra\u200e@example.af":         "",
		"zahra@\xff.af":                  "",
		strings.Repeat("z", 255) + "@af": "",
	} {
		t.Run(fmt.Sprintf("%q", in), func(t *testing.T) {
			got, err := Email(in)
			check.Equal(t, got.text, want, "%q", in)
			check.Equal(t, err == nil, want != "", "%q: (err == nil)", in)
			if err != nil && !errors.Is(err, ErrEmail) {
				t.Errorf("%q: got %q, %v, want %q", in, got.text, err, want)
			}
		})
	}
}

func TestPhone(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"+93701234567":                         "+93701234567",
		" +93 (70) 123-45.67 ":                 "+93701234567",
		"0093 70 1234567":                      "+93701234567",
		"+93 (0)70 1234567":                    "+93701234567",
		"+۹۳۷۰۱۲۳۴۵۶۷":                         "+93701234567",
		"+٩٣ ٧٠ ١٢٣ ٤٥٦٧":                      "+93701234567",
		"۰۰۹۳۷۰۱۲۳۴۵۶۷":                        "+93701234567",
		"＋９３ 70 1234567":                       "+93701234567",
		"\u202a+93 70\u00a01234567\u202c":      "+93701234567",
		"\u2066+93\u201170\u20131234567\u2069": "+93701234567",
		"+44/20/7946 0958":                     "+442079460958",
		"+6831234":                             "+6831234",
		"+123456789012345":                     "+123456789012345",
		"+1234567890123456":                    "",
		"+683123":                              "",
		"0701234567":                           "", // no country code
		"93701234567":                          "",
		"+0701234567":                          "",
		"+93+701234567":                        "",
		"++93701234567":                        "",
		"+93701234567 ext. 5":                  "",
		"+93701234567;5":                       "",
		"+":                                    "",
		"":                                     "",
		"hotel":                                "",
	} {
		t.Run(fmt.Sprintf("%q", in), func(t *testing.T) {
			got, err := Phone(in)
			check.Equal(t, got.text, want, "%q", in)
			check.Equal(t, err == nil, want != "", "%q: (err == nil)", in)
			if err != nil && !errors.Is(err, ErrPhone) {
				t.Errorf("%q: got %q, %v, want %q", in, got.text, err, want)
			}
		})
	}
}

func TestAddress(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"203.0.113.7":                          "203.0.113.7",
		"::ffff:203.0.113.7":                   "203.0.113.7",
		"2001:db8:1:2:3:4:5:6":                 "2001:db8:1:2::/64",
		"2001:DB8:1:2::1":                      "2001:db8:1:2::/64",
		"2001:0db8:0001:0002:ffff:ffff:ffff:1": "2001:db8:1:2::/64",
		"2001:db8:1:3::1":                      "2001:db8:1:3::/64",
		"fe80::1%eth0":                         "fe80::/64",
		"::1":                                  "::/64",
	} {
		t.Run(in, func(t *testing.T) {
			got, err := Address(netip.MustParseAddr(in))
			if got.text != want || err != nil {
				t.Errorf("%s: got %q, %v, want %q", in, got.text, err, want)
			}
		})
	}
	if got, err := Address(netip.Addr{}); !errors.Is(err, ErrAddress) {
		t.Errorf("no address: got %q, %v, want ErrAddress", got.text, err)
	}
}

func TestFingerprint(t *testing.T) {
	t.Parallel()
	base := Fingerprint("browser-desktop", "ps-AF", "")
	if again := Fingerprint(" browser-desktop", "ps-AF ", ""); again != base {
		t.Errorf("spaces around a part change %q to %q", base.text, again.text)
	}
	for name, other := range map[string]Value{
		"a part more":        Fingerprint("browser-desktop", "ps-AF", "", ""),
		"a part less":        Fingerprint("browser-desktop", "ps-AF"),
		"another order":      Fingerprint("ps-AF", "browser-desktop", ""),
		"a border moved":     Fingerprint("browser-desktopp", "s-AF", ""),
		"a length forged":    Fingerprint("browser-desktop5:ps-AF", ""),
		"another value":      Fingerprint("browser-desktop", "fa-AF", ""),
		"a user agent alike": UserAgent("browser-desktop"),
	} {
		t.Run(name, func(t *testing.T) {
			if other == base {
				t.Errorf("%s makes no difference", name)
			}
		})
	}
}

func TestValue_format(t *testing.T) {
	t.Parallel()
	type guest struct{ Email Value }
	v := check.Got(Email("zahra@example.af")).Must(t)
	shown := []string{}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x"} {
		shown = append(shown, fmt.Sprintf(verb, v), fmt.Sprintf(verb, guest{v}), fmt.Sprintf(verb, &guest{v}))
	}
	written := check.Got(json.Marshal(guest{v})).Must(t)
	for _, s := range append(shown, string(written)) {
		check.Lacks(t, s, "zahra", fmt.Sprintf("%x", "zahra"))
	}
}

// FuzzValues checks that normalizing is idempotent, and that errors do not contain the input.
func FuzzValues(f *testing.F) {
	for _, s := range []string{"Zahra@Example.af ", "+93 (0)70 1234567", "۰۰۹۳۷۰۱۲۳۴۵۶۷", "İ@x", "\u202a+1\u202c", "203.0.113.7"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for name, normalise := range map[string]func(string) (Value, error){"Email": Email, "Phone": Phone} {
			t.Run(name, func(t *testing.T) {
				v, err := normalise(s)
				if err != nil {
					if utf8.RuneCountInString(s) > 60 && strings.Contains(err.Error(), s) {
						t.Errorf("%s: the error repeats %q", name, s)
					}
					return
				}
				if again, err := normalise(v.text); err != nil || again != v {
					t.Errorf("%s of %q is %q, which normalizes to %q, %v", name, s, v.text, again.text, err)
				}
			})
		}
	})
}
