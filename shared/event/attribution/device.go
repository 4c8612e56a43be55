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
	Other   Device = "other" // user agents that are not browsers, and browsers driven by a program
)

// programs are substrings of the user agents of automated browsers.
var programs = []string{"headless", "bot/", "crawler", "spider"}

// DeviceOf returns the device class: declared by an app, or guessed from a browser's headers.
func DeviceOf(h http.Header) Device {
	agent := h.Get("User-Agent")
	apple := strings.Contains(agent, "iPhone") || strings.Contains(agent, "iPad") || strings.Contains(agent, "CFNetwork")
	app := strings.HasPrefix(h.Get("X-Client-Surface"), "mobile-")
	lower := strings.ToLower(agent)
	switch {
	case slices.ContainsFunc(programs, func(word string) bool { return strings.Contains(lower, word) }):
		return Other
	case app && apple:
		return IOS
	case app:
		return Android
	case apple, strings.Contains(agent, "Mobile"), strings.Contains(agent, "Android"), h.Get("Sec-Ch-Ua-Mobile") == "?1":
		return Mobile
	case strings.HasPrefix(agent, "Mozilla/"):
		return Desktop
	}
	return Other
}
