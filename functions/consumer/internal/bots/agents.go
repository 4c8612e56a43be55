package bots

import (
	"net/http"
	"slices"
	"strings"

	"melmastoon.ghasi.io/shared/event/attribution"
)

// isBrowser reports whether the user agent claims to be a browser.
func isBrowser(class attribution.Device) bool {
	return class == attribution.Desktop || class == attribution.Mobile
}

// platforms are the values of Sec-Ch-Ua-Platform, with texts of which the user agent contains one.
var platforms = map[string][]string{
	"Android":     {"Android"},
	"Chrome OS":   {"CrOS"},
	"Chromium OS": {"CrOS"},
	"iOS":         {"iPhone", "iPad", "Macintosh"}, // an iPad claims to be a Mac
	"Linux":       {"Linux", "X11"},
	"macOS":       {"Macintosh", "Mac OS X"},
	"Windows":     {"Windows"},
	"Unknown":     {""},
}

// platformOf returns the platform that the client hint names, or "" if it is none of the known ones.
func platformOf(h http.Header) string {
	name := strings.Trim(h.Get("Sec-Ch-Ua-Platform"), `" `)
	if _, known := platforms[name]; !known {
		return ""
	}
	return name
}

// contradictory reports whether the client hints do not belong to the user agent: a program has set one of the two only. Absent
// hints contradict nothing, because several browsers send none.
func contradictory(h http.Header) bool {
	if strings.Contains(strings.ToLower(h.Get("Sec-Ch-Ua")), "headless") {
		return true // programOf finds user agents that say so
	}
	if strings.Trim(h.Get("Sec-Ch-Ua-Platform"), `" `) == "" {
		return false
	}
	texts := platforms[platformOf(h)]
	return !slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(h.Get("User-Agent"), text) })
}
