package bots

import (
	"fmt"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/event/attribution"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// guestAgents are user agents of guests: phones that are common in the region, in-app browsers, browsers behind a proxy of their
// vendor, phones without Android, and desktops.
var guestAgents = []struct {
	class attribution.Device
	agent string
}{
	// Opera Mini and Opera Mobile
	{attribution.Mobile, "Opera/9.80 (J2ME/MIDP; Opera Mini/9.80 (S60; SymbOS; Opera Mobi/23.348; U; en) Presto/2.5.25 Version/10.54"},
	{attribution.Mobile, "Opera/9.80 (Android; Opera Mini/36.2.2254/119.132; U; fa) Presto/2.12.423 Version/12.16"},
	{attribution.Mobile, "Opera/9.80 (Android; Opera Mini/7.5.33361/191.273; U; ps) Presto/2.12.423 Version/12.16"},
	{attribution.Mobile, "Opera/9.80 (iPhone; Opera Mini/14.0.0/37.8603; U; ar) Presto/2.12.423 Version/12.16"},
	{attribution.Mobile, "Opera/9.80 (BlackBerry; Opera Mini/8.0.35667/35.7561; U; en) Presto/2.8.119 Version/11.10"},
	{attribution.Mobile, "Opera/9.80 (MAUI Runtime; Opera Mini/4.4.39001/191.292; U; en) Presto/2.12.423 Version/12.16"},
	{attribution.Mobile, "Opera/9.80 (SpreadTrum; Opera Mini/4.4.31492/191.273; U; ur) Presto/2.12.423 Version/12.16"},
	{attribution.Mobile, "Opera/9.80 (Series 60; Opera Mini/7.1.32444/37.8603; U; en) Presto/2.12.423 Version/12.16"},
	{attribution.Mobile, "Opera/12.02 (Android 4.1; Linux; Opera Mobi/ADR-1111101157; U; en-US) Presto/2.9.201 Version/12.02"},
	{attribution.Mobile, "Mozilla/5.0 (Linux; U; Android 10; M2006C3LG Build/QP1A.190711.020; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/140.0.7339.51 Mobile Safari/537.36 OPR/88.0.2254.75"},
	{attribution.Mobile, "Mozilla/5.0 (Linux; Android 13; TECNO BF7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/139.0.0.0 Mobile Safari/537.36 OPR/91.0.0.0"},
	// UC Browser
	{attribution.Mobile, "UCWEB/2.0 (Java; U; MIDP-2.0; en-US; nokia5130) U2/1.0.0 UCBrowser/9.4.1.377 U2/1.0.0 Mobile"},
	{attribution.Mobile, "UCWEB/2.0 (MIDP-2.0; U; Adr 9; en-US; Infinix_X626B) U2/1.0.0 UCBrowser/12.13.2.1208 U2/1.0.0"},
	{attribution.Mobile, "Nokia6303iclassic/UCWEB8.9.0.251/28/800"},
	{attribution.Mobile, "Mozilla/5.0 (Linux; U; Android 11; en-US; vivo 1906 Build/RP1A.200720.012) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/100.0.4896.58 UCBrowser/13.4.0.1306 Mobile Safari/537.36"},
	// KaiOS and other phones without Android
	{attribution.Mobile, "Mozilla/5.0 (Mobile; Nokia_8110_4G; rv:48.0) Gecko/48.0 Firefox/48.0 KAIOS/2.5"},
	{attribution.Mobile, "Mozilla/5.0 (Mobile; LYF/F220B/LYF-F220B-003-01-31-170719; Android; rv:48.0) Gecko/48.0 Firefox/48.0 KAIOS/2.5"},
	{attribution.Mobile, "Mozilla/5.0 (Mobile; JAZZ_J110; rv:84.0) Gecko/84.0 Firefox/84.0 KAIOS/3.1"},
	{attribution.Mobile, "NokiaX2-02/2.0 (10.90) Profile/MIDP-2.1 Configuration/CLDC-1.1"},
	{attribution.Mobile, "Nokia200/2.0 (11.81) Profile/MIDP-2.1 Configuration/CLDC-1.1 UCWEB/2.0 (Java; U; MIDP-2.0; en-US) U2/1.0.0 UCBrowser/8.9"},
	{attribution.Mobile, "Mozilla/5.0 (Series40; Nokia311/5.81; Profile/MIDP-2.1 Configuration/CLDC-1.1) Gecko/20100401 S40OviBrowser/3.9.0.0.22"},
	{attribution.Mobile, "Mozilla/5.0 (SymbianOS/9.4; Series60/5.0 NokiaN97-1/12.0.024; Profile/MIDP-2.1) AppleWebKit/525 (KHTML, like Gecko) BrowserNG/7.1.12344"},
	{attribution.Mobile, "SAMSUNG-GT-S5620/S5620XEJE1 SHP/VPP/R5 Dolfin/2.0 Nextreaming SMM-MMS/1.2.0 profile/MIDP-2.1 configuration/CLDC-1.1"},
	{attribution.Mobile, "SonyEricssonW995/R1EA Profile/MIDP-2.1 Configuration/CLDC-1.1 UNTRUSTED/1.0"},
	{attribution.Mobile, "BlackBerry8520/5.0.0.681 Profile/MIDP-2.1 Configuration/CLDC-1.1 VendorID/600"},
	{attribution.Mobile, "Mozilla/5.0 (BB10; Touch) AppleWebKit/537.10+ (KHTML, like Gecko) Version/10.0.9.2372 Mobile Safari/537.10+"},
	{attribution.Mobile, "Mozilla/5.0 (Windows Phone 10.0; Android 6.0.1; Microsoft; Lumia 650) AppleWebKit/537.36 Edge/15.15254"},
	{attribution.Mobile, "Mozilla/5.0 (Linux; Tizen 2.4; SAMSUNG SM-Z200F) AppleWebKit/537.3 (KHTML, like Gecko) SamsungBrowser/1.0 Mobile Safari/537.3"},
	// Android phones
	{attribution.Mobile, pixel},
	{attribution.Mobile, "Mozilla/5.0 (Linux; Android 11; SM-A127F) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36"},
	{attribution.Mobile, "Mozilla/5.0 (Linux; Android 9; itel A56 Build/PPR1.180610.011) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Mobile Safari/537.36"},
	{attribution.Mobile, "Mozilla/5.0 (Linux; Android 12; Infinix X6511B) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/139.0.0.0 Mobile Safari/537.36"},
	{attribution.Mobile, "Mozilla/5.0 (Linux; U; Android 12; fa-ir; Redmi Note 9 Build/SP1A) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/112.0 Mobile Safari/537.36 XiaoMi/MiuiBrowser/14.5"},
	{attribution.Mobile, "Mozilla/5.0 (Linux; Android 10; HUAWEI Y9; HMSCore 6.13) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/114.0 HuaweiBrowser/15.0 Mobile Safari/537.36"},
	{attribution.Mobile, "Mozilla/5.0 (Linux; Android 14; CUBOT X70) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 Mobile Safari/537.36"},
	{attribution.Mobile, "Mozilla/5.0 (Android 13; Mobile; rv:141.0) Gecko/141.0 Firefox/141.0"},
	{attribution.Mobile, "Mozilla/5.0 (Linux; U; Android 4.4.2; en-us; QMobile X30) AppleWebKit/537.16 (KHTML, like Gecko) Version/4.0 Mobile Safari/537.16"},
	{attribution.Mobile, "Mozilla/5.0 (Linux; Android 11; vivo 1820 Build/RP1A; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/100.0 Mobile Safari/537.36 VivoBrowser/9.6"},
	{attribution.Mobile, "Mozilla/5.0 (Linux; Android 12; SM-T220) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/139.0.0.0 Safari/537.36"},
	{attribution.Mobile, "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/139.0.0.0 Mobile Safari/537.36 Puffin/10.2"},
	// iPhones and tablets
	{attribution.Mobile, "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1"},
	{attribution.Mobile, "Mozilla/5.0 (iPhone; CPU iPhone OS 12_5_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/92.0 Mobile/15E148 Safari/604.1"},
	{attribution.Mobile, "Mozilla/5.0 (iPad; CPU OS 16_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/16.6 Mobile/15E148 Safari/604.1"},
	// In-app browsers
	{attribution.Mobile, "Mozilla/5.0 (Linux; Android 12; SM-A035F; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/139.0 Mobile Safari/537.36 [FB_IAB/FB4A;FBAV/520.0.0.44.99;]"},
	{attribution.Mobile, "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 [FBAN/FBIOS;FBAV/470.0;FBLC/ar_AE]"},
	{attribution.Mobile, "Mozilla/5.0 (Linux; Android 13; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/138.0 Mobile Safari/537.36 Instagram 390.0.0.43.81 Android"},
	{attribution.Mobile, "Mozilla/5.0 (Linux; Android 13; 22126RN91Y; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/138.0 Mobile Safari/537.36 trill_2023 BytedanceWebview/d8a21c6"},
	{attribution.Mobile, "Mozilla/5.0 (Linux; Android 11; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/137.0 Mobile Safari/537.36 Telegram-Android/11.9"},
	{attribution.Mobile, "Mozilla/5.0 (Linux; Android 12; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/139.0 Mobile Safari/537.36 GSA/15.30"},
	{attribution.Mobile, "Mozilla/5.0 (Linux; Android 12; V2037; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/116.0 Mobile Safari/537.36 MicroMessenger/8.0.42 WeChat/arm64"},
	{attribution.Mobile, "Dalvik/2.1.0 (Linux; U; Android 9; SM-J600F Build/PPR1)"},
	// Desktops
	{attribution.Desktop, firefox},
	{attribution.Desktop, "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0"},
	{attribution.Desktop, "Mozilla/5.0 (Windows NT 6.1; rv:115.0) Gecko/20100101 Firefox/115.0"},
	{attribution.Desktop, "Opera/9.80 (Windows NT 6.1; WOW64) Presto/2.12.388 Version/12.18"},
	{attribution.Desktop, "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15"},
	{attribution.Desktop, "Mozilla/4.0 (compatible; MSIE 8.0; Windows NT 5.1; Trident/4.0)"},
	// Not known
	{attribution.Other, "Dorado WAP-Browser/1.0.0"},
	{attribution.Other, "MAUI_WAP_Browser"},
	{attribution.Other, "Lynx/2.9.2 libwww-FM/2.14"},
	{attribution.Other, "Kiosk Herat Airport 2"},
	{attribution.Other, ""},
}

// No browser of a guest is a suspect, alone or in a crowd behind one address.
func TestDetector_guests(t *testing.T) {
	t.Parallel()
	if len(guestAgents) < 60 {
		t.Fatalf("user agents = %d, want 60 or more", len(guestAgents))
	}
	headers := map[string][]string{"with a language": nil, "without a language": {"Accept-Language", ""}}
	crowds := map[string]time.Duration{"60 within a second": time.Second / 60, "five a second": 220 * time.Millisecond}
	for _, guest := range guestAgents {
		t.Run(fmt.Sprintf("%.50q", guest.agent), func(t *testing.T) {
			t.Parallel()
			for name, h := range headers {
				c := from("proxy", browser(guest.agent, h...))
				check.MustEqual(t, c.class, guest.class)
				for crowd, pause := range crowds {
					d := newDetector()
					for i := range 200 {
						a := builtIn().assess(d.observe(c, start.Add(time.Duration(i)*pause)))
						if a.Verdict != Human || a.Action != None {
							t.Fatalf("%s, %s: guest %d is %q, action %q: %v", name, crowd, i+1, a.Verdict, a.Action, a.Signals)
						}
					}
				}
			}
		})
	}
}

// Guests of all browsers share one address, and each returns its cookie.
func TestDetector_mixedCrowd(t *testing.T) {
	t.Parallel()
	d := newDetector()
	for i := range 600 {
		now := start.Add(time.Duration(i) * time.Second / 60)
		c := from("carrier", browser(guestAgents[i%len(guestAgents)].agent))
		for range 2 {
			check.MustEqual(t, builtIn().assess(d.observe(c, now)).Verdict, Human, "guest %d with %q", i+1, c.header.Get("User-Agent"))
			c.session = id.New[id.GuestSession]()
		}
	}
}
