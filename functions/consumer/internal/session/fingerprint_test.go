package session

import (
	"strings"
	"testing"

	"melmastoon.ghasi.io/shared/testkit/check"
)

func TestRedactAddress(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"/search":                                "/search",
		"/search?q=zahra#me":                     "/search",
		"/":                                      "/",
		"":                                       "",
		"https://www.google.com/":                "https://www.google.com/",
		"https://www.google.com":                 "https://www.google.com",
		"http://localhost:8080/a/b":              "http://localhost:8080/a/b",
		"https://zahra:pw@host.af/a":             "https://host.af/a",
		"/hotels/ppt_01J8KABG000000000000000PPT": "/hotels/ppt_01J8KABG000000000000000PPT",
		"/guests/zahra@example.com":              "/guests/*",
		"/guests/zahra%40example.com":            "/guests/*",
		"/call/0700123456":                       "/call/*",
		"/هرات/x":                                "/*/x",
		"/a%2Fzahra@b":                           "/a/*",
		"/" + strings.Repeat("a", 41):            "/*",
		"/" + strings.Repeat("a/", 99):           "/" + strings.Repeat("a/", 99),
		"/" + strings.Repeat("a/", 100):          "",
		"mailto:zahra@example.com":               "",
		"android-app://com.example/":             "",
		"https://0093700123456/":                 "",
		"https://93.184.216.34/":                 "",
		"https://za hra/":                        "",
		"//host.af/a":                            "",
		"javascript:alert(1)":                    "",
	} {
		t.Run(address, func(t *testing.T) {
			check.Equal(t, RedactAddress(address), want, "the redacted address")
		})
	}
}
