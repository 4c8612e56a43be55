package probe

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"strings"

	"github.com/go-json-experiment/json"
)

// A guest calls the public routes like a browser: with cookies, without following redirects.
type guest struct {
	client *http.Client
	all    string // address of the site of all hotels
	hotel  string // address of the hotel's site
}

func newGuest(o options) guest {
	jar, err := cookiejar.New(nil)
	if err != nil {
		panic(err) // documented never to fail
	}
	return guest{
		client: &http.Client{
			Jar:           jar,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		all:   o.site + "/bff/consumer/v1",
		hotel: o.site + "/bff/tenant-booking/v1/" + o.slug,
	}
}

// maxBody bounds a response.
const maxBody = 4 << 20

// call sends a request, wants the status, and decodes the response into out unless that is nil. Its errors contain no query and no
// cookie, because tokens are in them.
func (g guest) call(ctx context.Context, status int, method, address string, in, out any) error {
	var body io.Reader
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, method, address, body)
	if err != nil {
		return fmt.Errorf("%s: the address is invalid", method)
	}
	g.setHeaders(req)
	res, err := g.client.Do(req)
	if err != nil {
		return unaddressed(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, maxBody))
	if err != nil {
		return fmt.Errorf("%d, and the response does not end: %w", res.StatusCode, err)
	}
	if res.StatusCode != status {
		var problem struct {
			Code string `json:"code"`
		}
		if err := json.Unmarshal(text, &problem); err != nil {
			problem.Code = "no problem document"
		}
		return fmt.Errorf("%d (%s), want %d", res.StatusCode, problem.Code, status)
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(text, out); err != nil {
		return fmt.Errorf("%d with a response of another form", res.StatusCode)
	}
	return nil
}

// setHeaders asks for no telemetry: a probe is not a guest.
func (g guest) setHeaders(req *http.Request) {
	req.Header.Set("User-Agent", "Mozilla/5.0 (X11; Linux x86_64) melmastoon-probe/1")
	req.Header.Set("Accept", "application/json")
	req.Header.Set("Accept-Language", "en")
	req.Header.Set("DNT", "1")
	if req.Method != http.MethodGet {
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Idempotency-Key", "probe-"+strings.ToLower(rand.Text()))
	}
}
