package attribution

import (
	"net/http"
	"slices"
	"strings"
)

// A Device is the device class of a visit.
type Device string

// The devices.
const (
	Desktop Device = "browser-desktop"
	Mobile  Device = "browser-mobile"
	IOS     Device = "mobile-app-ios"
	Android Device = "mobile-app-android"
	Other   Device = "other" // programs, and user agents that are not known
)

// phones are substrings of the user agents of phones, some of which browse through a proxy of their vendor.
var phones = []string{
	"mobile", "android", "iphone", "ipad", "cfnetwork", "opera mini", "opera mobi", "ucweb", "ucbrowser", "kaios", "j2me", "midp", "symbian", "series40", "series 60", "bada/", "tizen",
	"nokia", "blackberry", "bb10", "sonyericsson", "samsung-", "windows phone", "windows ce", "puffin/",
}

// DeviceOf returns the device class, declared by an app or guessed from headers. A program is Other, also if it declares an app.
func DeviceOf(h http.Header) Device {
	if ProgramOf(h) != "" {
		return Other
	}
	agent := strings.ToLower(strings.TrimSpace(h.Get("User-Agent")))
	app := strings.HasPrefix(h.Get("X-Client-Surface"), "mobile-") && agent != ""
	switch {
	case app && containsAny(agent, []string{"iphone", "ipad", "cfnetwork"}):
		return IOS
	case app:
		return Android
	case containsAny(agent, phones), h.Get("Sec-Ch-Ua-Mobile") == "?1":
		return Mobile
	case strings.HasPrefix(agent, "mozilla/"), strings.HasPrefix(agent, "opera/"):
		return Desktop
	}
	return Other
}

func containsAny(agent string, texts []string) bool {
	return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(agent, text) })
}

// programs are substrings of the user agents of programs. Libraries of phone apps, such as okhttp and Dart, are not among them.
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
		if containsAny(agent, p.texts) {
			return p.kind
		}
	}
	return ""
}
