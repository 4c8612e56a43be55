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

// phones are substrings of the user agents of phones: of the platforms, and of browsers and handsets that predate "Mozilla/" on
// phones or run behind a proxy of their vendor.
var phones = []string{
	"mobile", "android", "iphone", "ipad", "cfnetwork",
	"opera mini", "opera mobi", "ucweb", "ucbrowser", "kaios", "j2me", "midp", "symbian", "series40", "series 60", "bada/", "tizen",
	"nokia", "blackberry", "bb10", "sonyericsson", "samsung-", "windows phone", "windows ce", "puffin/",
}

// desktops are the beginnings of the user agents of browsers on other devices.
var desktops = []string{"mozilla/", "opera/"}

// DeviceOf returns the device class: declared by an app, or guessed from a browser's headers. A program is Other, also if it
// declares itself an app.
func DeviceOf(h http.Header) Device {
	if ProgramOf(h) != "" {
		return Other
	}
	agent := strings.ToLower(strings.TrimSpace(h.Get("User-Agent")))
	names := func(text string) bool { return strings.Contains(agent, text) }
	apple := slices.ContainsFunc([]string{"iphone", "ipad", "cfnetwork"}, names)
	app := strings.HasPrefix(h.Get("X-Client-Surface"), "mobile-") && agent != ""
	switch {
	case app && apple:
		return IOS
	case app:
		return Android
	case slices.ContainsFunc(phones, names), h.Get("Sec-Ch-Ua-Mobile") == "?1":
		return Mobile
	case slices.ContainsFunc(desktops, func(text string) bool { return strings.HasPrefix(agent, text) }):
		return Desktop
	}
	return Other
}
