package bundles

import (
	"bufio"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os/exec"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"melmastoon.ghasi.io/scripts/serve/cloud"
	"melmastoon.ghasi.io/shared/local/signing"
	"melmastoon.ghasi.io/shared/local/subprocess"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/identity"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/test/processes"
)

// timeout bounds everything a test waits for; settling is how long a process that would be killed may take to die.
const (
	timeout  = 20 * time.Second
	settling = 100 * time.Millisecond
)

// A process is one bundle that runs as the function it was made for.
type process struct {
	t       testing.TB
	address string
	child   *subprocess.Process
	cmd     *exec.Cmd
	output  *processes.Output
	issuer  *signing.Issuer
}

// launch starts a program as the function target. All its upstream services are the void.
func launch(t testing.TB, program, target string, v *silentServer) *process {
	t.Helper()
	address := check.Got(subprocess.FreeAddress()).Must(t)
	_, port, err := net.SplitHostPort(address)
	check.Must(t, err)
	secret := make(cloud.Secret, 32)
	p := &process{t: t, address: address, output: &processes.Output{}, issuer: signing.NewIssuer(env.Of(nil), secret)}
	p.cmd = exec.Command(program)
	p.cmd.Stdout, p.cmd.Stderr = p.output, p.output
	p.cmd.Env = []string{
		"PORT=" + port, "FUNCTION_TARGET=" + target, "GOOGLE_CLOUD_PROJECT=melmastoon-local",
		"DATABASE_URL=postgres://nobody:none@" + v.address() + "/postgres?sslmode=disable",
		"FIRESTORE_EMULATOR_HOST=" + v.address(), "PUBSUB_EMULATOR_HOST=" + v.address(), "GCE_METADATA_HOST=" + v.address(),
	}
	for key, value := range cloud.Variables(secret, p.issuer, "http://"+v.address()) {
		p.cmd.Env = append(p.cmd.Env, key+"="+value)
	}
	p.child, err = subprocess.Start(p.cmd)
	check.Must(t, err)
	t.Cleanup(func() { check.NoError(t, p.child.End(syscall.SIGKILL)) })
	return p
}

// listens waits until the process takes connections.
func (p *process) listens() {
	p.t.Helper()
	for end := time.After(timeout); ; {
		if c, err := net.Dial("tcp", p.address); err == nil {
			_ = c.Close()
			return
		}
		select {
		case <-p.child.Done():
			p.t.Fatalf("it has ended instead of listening: %s", p.output)
		case <-end:
			p.t.Fatalf("it does not listen: %s", p.output)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// token lets the call in wherever a token is asked for.
func (p *process) token(s fn.Spec) string {
	p.t.Helper()
	return check.Got(p.issuer.Sign(p.issuer.Email(), time.Now().Add(time.Hour), identity.Audience(s.Service()))).Must(p.t)
}

// staffToken is a token that the front desk's pages take for a session. They read it and leave its signature to the services they call.
func staffToken() string {
	claims := fmt.Sprintf(`{"tenant_id":%q,"property_ids":[%q],"roles":["front_desk"],"exp":%d}`,
		inputs["tenantId"], inputs["propertyId"], time.Now().Add(time.Hour).Unix())
	return "e30." + base64.RawURLEncoding.EncodeToString([]byte(claims)) + ".none"
}

// call sends one request and returns the whole answer.
func (p *process) call(method, path string) (*http.Response, string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), timeout)
	defer cancel()
	r := check.Got(http.NewRequestWithContext(ctx, method, "http://"+p.address+path, nil)).Must(p.t)
	res := check.Got(http.DefaultTransport.RoundTrip(r)).Must(p.t)
	defer res.Body.Close()
	return res, string(check.Got(io.ReadAll(res.Body)).Must(p.t))
}

// A pendingCall is a request that the function has begun to answer.
type pendingCall struct {
	conn  net.Conn
	begun chan error // told when it waits for the rest of its body
	r     *bufio.Reader
	rest  string
}

// startCall sends a request but for its body, and returns when the function waits for that or for a neighbour.
func (p *process) startCall(f fn.Function, v *silentServer) *pendingCall {
	p.t.Helper()
	s := f.Spec
	method, path := address(f)
	conn, err := net.Dial("tcp", p.address)
	check.Must(p.t, err)
	p.t.Cleanup(func() { _ = conn.Close() })
	check.Must(p.t, conn.SetDeadline(time.Now().Add(timeout)))
	up := &pendingCall{conn: conn, begun: make(chan error, 1), r: bufio.NewReader(conn)}
	head := fmt.Sprintf("%s %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nIdempotency-Key: one\r\nX-Tenant-Id: %s\r\nCookie: staff=%s\r\n",
		method, path, p.address, p.token(s), inputs["tenantId"], staffToken())
	if method != http.MethodGet {
		up.rest = "{}"
		head += "Content-Type: application/json\r\nContent-Length: 2\r\nExpect: 100-continue\r\n"
	}
	_, err = io.WriteString(conn, head+"\r\n")
	check.Must(p.t, err)
	go func() { _, err := up.r.Peek(1); up.begun <- err }()
	select {
	case err := <-up.begun:
		up.begun <- err
		check.Must(p.t, err)
	case <-v.touched:
	case <-time.After(timeout):
		p.t.Fatal("the request does not take off")
	}
	return up
}

// wait sends the body and reads the answer.
func (f *pendingCall) wait() (*http.Response, error) {
	if err := <-f.begun; err != nil {
		return nil, err
	}
	for {
		res, err := http.ReadResponse(f.r, nil)
		if err != nil {
			return nil, err
		}
		if res.StatusCode != http.StatusContinue {
			_, err := io.Copy(io.Discard, res.Body)
			return res, err
		}
		if _, err := io.WriteString(f.conn, f.rest); err != nil {
			return nil, err
		}
	}
}

// ended waits for the end of the process and returns its exit code.
func (p *process) ended() (int, error) {
	select {
	case <-p.child.Done():
		return p.cmd.ProcessState.ExitCode(), nil
	case <-time.After(timeout):
		return 0, errors.New("it does not end")
	}
}

// inputs are path values of the right form that do not exist.
var inputs = map[string]string{
	"tenantId": "tnt_01J00000000000000000000000", "propertyId": "ppt_01J00000000000000000000000", "draftId": "bdr_01J00000000000000000000000",
	"intentId": "pyi_01J00000000000000000000000", "reservationId": "rsv_01J00000000000000000000000", "ratePlanId": "rate_01J00000000000000000000000",
	"sessionId": "tnt_session_01J00000000000000000000000",
	"roomId":    "rmu_01J00000000000000000000000",
	"id":        "rsv_01J00000000000000000000000", "ref": "nobody", "slug": "nobody", "tenantSlug": "nobody",
	"start": "2031-05-01", "end": "2031-05-03", "checkIn": "2031-05-01", "checkOut": "2031-05-03", "from": "2031-05-01", "days": "7",
	"adults": "2", "rooms": "1", "currency": "AFN", "q": "nowhere", "limit": "8", "code": "GM-ABCDEF",
}

// address is where a function is called, with everything that it asks for in its path and its query.
func address(f fn.Function) (method, path string) {
	s := f.Spec
	switch {
	case s.Subject != "":
		return http.MethodPost, "/internal/events/" + s.Name
	case s.Schedule != "":
		return http.MethodPost, "/internal/ticks/" + s.Name
	}
	method, path, _ = strings.Cut(s.Route, " ")
	parts := strings.Split(path, "/")
	for i, part := range parts {
		if name, ok := strings.CutPrefix(part, "{"); ok {
			parts[i] = inputs[strings.TrimSuffix(name, "}")]
		}
	}
	return method, strings.Join(parts, "/") + question(f.In)
}

// question is the query that a request type asks for.
func question(in reflect.Type) string {
	values := url.Values{}
	for _, field := range reflect.VisibleFields(in) {
		name, _, _ := strings.Cut(field.Tag.Get("query"), ",")
		if value, ok := inputs[name]; ok {
			values.Set(name, value)
		}
	}
	if code := values.Get("code"); code != "" { // one of several ways to ask for a reservation
		values = url.Values{"code": {code}}
	}
	if len(values) == 0 {
		return ""
	}
	return "?" + values.Encode()
}
