package attribution

import (
	"net/http"
	"slices"
	"strings"
)

// programs are substrings of the user agents of programs, with the kind of program. The first match counts. Libraries that
// phone apps use, such as okhttp, CFNetwork and Dart, are not among them.
var programs = []struct {
	kind  string
	texts []string
}{
	{"headless browser", []string{"headless", "phantomjs", "puppeteer", "playwright", "selenium"}},
	{"crawler", []string{"bot/", "crawler", "spider", "slurp"}},
	{"command line client", []string{"curl/", "wget/", "httpie/"}},
	{"http library", []string{"python", "go-http-client", "java/", "apache-httpclient", "libwww-perl", "scrapy", "axios", "node-fetch", "undici", "guzzle", "aiohttp", "httpx"}},
}

// ProgramOf returns the kind of program that the user agent names, or "" if it names no program.
func ProgramOf(h http.Header) string {
	agent := strings.ToLower(h.Get("User-Agent"))
	for _, p := range programs {
		if slices.ContainsFunc(p.texts, func(text string) bool { return strings.Contains(agent, text) }) {
			return p.kind
		}
	}
	return ""
}
