package garbage

import (
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// An attempt is one request before and after its mutations.
type attempt struct {
	*target
	*request
	random *rand.Rand
	tree   *value // of the JSON body; nil where there is none
	marker string // stands in values only: no answer may have it
	named  string // stands in names and paths, which an answer may point at
}

// A mutation spoils a request.
type mutation struct {
	name  string
	fits  func(*attempt) bool
	spoil func(*attempt)
}

// bad returns a text that is invalid for every field.
func bad(s *attempt) string {
	return one(s.random, []string{
		s.marker, s.marker + "' OR '1'='1", "%s%d%n" + s.marker, "<script>" + s.marker + "</script>", "{{." + s.marker + "}}", "${jndi:ldap://" + s.marker + "}",
		"../../etc/passwd" + s.marker, "\u202e" + s.marker + "\u0000x", strings.Repeat(s.marker, 1+s.random.IntN(40)), " " + s.marker, "-1e309" + s.marker, "null" + s.marker,
	})
}

func jsonBody(s *attempt) bool { return s.tree != nil }
func anyBody(s *attempt) bool  { return s.takesBody() }
func queried(s *attempt) bool  { return len(s.target.query) > 0 }
func formed(s *attempt) bool   { return len(s.form) > 0 }
func always(*attempt) bool     { return true }

// fatal are mutations that no function can overlook: what answers them with a success has a fault.
var fatal = slices.Concat(fatalBodies, fatalLines, fatalHeaders)

var fatalBodies = []mutation{
	{"truncated", jsonBody, func(s *attempt) { text := s.tree.String(); s.body = []byte(text[:1+s.random.IntN(len(text)-1)]) }},
	{"member twice", jsonBody, func(s *attempt) {
		o := one(s.random, s.tree.objects())
		o.members = append(o.members, one(s.random, o.members))
		s.body = []byte(s.tree.String())
	}},
	{"unknown member", jsonBody, func(s *attempt) {
		s.tree.members = append(s.tree.members, member{strconv.Quote(s.named), quoted(bad(s))})
		s.body = []byte(s.tree.String())
	}},
	{"no object", anyBody, func(s *attempt) {
		s.body = []byte(one(s.random, []string{`[]`, `1`, `"` + s.marker + `"`, `true`, `null`, `[{}]`, `-0`, `1e999`, `""`, `[null]`}))
	}},
	{"no JSON", anyBody, func(s *attempt) {
		s.body = []byte(one(s.random, []string{
			"\ufeff{}", "{", "}", "{]", `{'a':1}`, `{"a":NaN}`, `{"a":0x1}`, `{"a":01}`, `{"a":1,}`, `{"a":.5}`, `{"a":+1}`, "// " + s.marker + "\n{}",
			`{"a":undefined}`, s.marker, "<xml>" + s.marker + "</xml>", "a=1&b=" + s.marker, "\x00", "\xff\xfe", "{}\x00", `{"a":"\x"}`, `{"a":"\ud800"}`, "{\"a\":\"\n\"}",
		}))
	}},
	{"two values", jsonBody, func(s *attempt) {
		s.body = []byte(s.tree.String() + one(s.random, []string{"{}", " 1", "\n" + s.tree.String(), ",", "]"}))
	}},
	{"nested deeply", anyBody, func(s *attempt) {
		n := 33 + s.random.IntN(5000)
		s.body = []byte(one(s.random, []string{
			`{"a":` + strings.Repeat("[", n) + strings.Repeat("]", n) + "}", strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n), strings.Repeat("[", n),
		}))
	}},
	{"invalid UTF-8", jsonBody, func(s *attempt) {
		v := one(s.random, s.tree.scalars())
		v.text = `"` + s.marker + one(s.random, []string{"\xff", "\xc0\xaf", "\xed\xa0\x80", "\xf5\x80\x80\x80"}) + `"`
		s.body = []byte(s.tree.String())
	}},
	{"zero byte", jsonBody, func(s *attempt) {
		v := one(s.random, s.tree.scalars())
		v.text = `"` + s.marker + one(s.random, []string{"\x00", `\u0000`}) + `"`
		s.body = []byte(s.tree.String())
	}},
	{"too large", anyBody, func(s *attempt) {
		s.body = []byte(`{"` + s.named + `":"` + strings.Repeat("x", largest(s)) + `"}`)
	}},
	{"another type", func(s *attempt) bool { return jsonBody(s) || formed(s) }, func(s *attempt) {
		s.set("Content-Type", one(s.random, []string{"text/plain", "application/xml", "multipart/form-data; boundary=x", "application/octet-stream",
			"application/jsonx", "text/json", "; charset", s.marker, "application/json; charset=utf-16", "application/cbor", "*/*"}))
	}},
	{"no type", func(s *attempt) bool { return jsonBody(s) || formed(s) }, func(s *attempt) { s.drop("Content-Type") }},
	{"compressed", func(s *attempt) bool { return jsonBody(s) || formed(s) }, func(s *attempt) {
		s.set("Content-Encoding", one(s.random, []string{"gzip", "br", "deflate", "gzip, gzip", s.marker, "compress", "zstd"}))
	}},
	{"shorter than it says", func(s *attempt) bool { return len(s.body) > 1 }, func(s *attempt) {
		s.length = strconv.Itoa(len(s.body))
		s.body = s.body[:s.random.IntN(len(s.body))]
	}},
	{"form with a bad escape", formed, func(s *attempt) { s.body = append(s.body, []byte("&x=%z"+s.marker)...) }},
	{"form field twice", formed, func(s *attempt) {
		s.body = append(s.body, []byte("&"+url.QueryEscape(one(s.random, s.form).name)+"="+s.marker)...)
	}},
	{"form field with a zero", formed, func(s *attempt) {
		i := s.random.IntN(len(s.form))
		fields := slices.Clone(s.form)
		fields[i].text = s.marker + "\x00"
		s.body = []byte(encoded(fields))
	}},
}

func largest(s *attempt) int {
	if limit := s.function.Spec.BodyLimit; limit > 0 {
		return int(limit)
	}
	return 64 << 10
}

// unusualMethods are methods without routes.
var unusualMethods = []string{"TRACE", "PROPFIND", "get", "post", "FOO", "PURGE", "M-SEARCH", "GETT"}

var fatalLines = []mutation{
	{"another method", always, func(s *attempt) {
		var others []string
		for _, m := range []string{"PUT", "PATCH", "DELETE", "POST"} {
			if !slices.Contains(s.methods, m) {
				others = append(others, m)
			}
		}
		s.request.method = one(s.random, slices.Concat(unusualMethods, others))
	}},
	{"a path that is none", always, func(s *attempt) {
		at := s.request.path
		s.request.path = one(s.random, []string{
			at + "/", "/" + at, at + "/" + s.named, at + "%2f", at + "%00", at + "/..", at + "/.", at + "//", at + ";" + s.named, at + "%20",
			strings.Replace(at, "/", "//", 2), strings.Replace(at, "/", "/./", 1), "/" + s.named + "/.." + at, strings.ToUpper(at), at + ".json", at + "%0d%0aX:" + s.named,
			"/%2e%2e" + at, at + strings.Repeat("/a", 500), "/" + strings.Repeat(s.named, 200), at + "\\", at + "%252f",
		})
	}},
	{"a name that is none", func(s *attempt) bool {
		return slices.ContainsFunc(s.target.path, func(p segment) bool { return p.wildcard })
	}, func(s *attempt) {
		var b strings.Builder
		for _, p := range s.target.path {
			text := url.PathEscape(p.text)
			if p.wildcard {
				text = one(s.random, []string{s.named, "%00" + s.named, "%ff" + s.named, s.named + "%0a", strings.Repeat(s.named, 100), "rsv_" + s.named, "tnt_01J0000000000000000000" + s.named,
					"%27%20OR%201=1--" + s.named, "..%2f" + s.named, "%2e%2e%2f" + s.named, "-1" + s.named, "%e2%80%ae" + s.named, s.named + ".localhost", "null" + s.named, "%25s" + s.named})
			}
			b.WriteString("/" + text)
		}
		s.request.path = b.String()
	}},
	{"a bad escape in the path", always, func(s *attempt) {
		s.request.path += one(s.random, []string{"%", "%z1", "%1", "/%zz", "%%%"})
		s.broken = true
	}},
	{"no HTTP", always, func(s *attempt) {
		s.broken = true
		switch s.random.IntN(6) {
		case 0:
			s.request.path += " " + s.marker
		case 1:
			s.add("X-A b", s.marker)
		case 2:
			s.add("X-A", s.marker+"\x00")
		case 3:
			s.add("Content-Length", "-5")
		case 4:
			s.add("Host", s.marker)
		default:
			s.request.method = "GE T"
		}
	}},
	{"query with a bad escape", queried, func(s *attempt) { s.request.query = strings.TrimPrefix(s.request.query+"&x=%z"+s.marker, "&") }},
	{"query with a semicolon", queried, func(s *attempt) { s.request.query += ";" + s.marker + "=1" }},
	{"parameter twice", queried, func(s *attempt) {
		p := one(s.random, s.target.query)
		s.request.query = encoded(append(slices.Clone(s.target.query), p))
	}},
	{"parameter of the wrong form", queried, func(s *attempt) {
		all := slices.Clone(s.target.query)
		all[s.random.IntN(len(all))].text = s.marker + one(s.random, []string{"\x00", "\xff\xfe", "\x00" + s.marker})
		s.request.query = encoded(all)
	}},
	{"no parameter", func(s *attempt) bool {
		return slices.ContainsFunc(s.target.query, func(p parameter) bool { return p.required })
	}, func(s *attempt) {
		var all []parameter
		for _, p := range s.target.query {
			if !p.required {
				all = append(all, p)
			}
		}
		s.request.query = encoded(all)
	}},
}

var fatalHeaders = []mutation{
	{"an unusable key", always, func(s *attempt) {
		s.set("Idempotency-Key", one(s.random, []string{"", s.marker + " b", strings.Repeat(s.marker, 30), "\xff" + s.marker, s.marker + "\t" + s.marker, "ключ" + s.marker}))
	}},
	{"two keys", always, func(s *attempt) { s.set("Idempotency-Key", s.marker); s.add("X-Idempotency-Key", s.marker+"b") }},
	{"no key", func(s *attempt) bool { return s.function.Spec.Idempotent }, func(s *attempt) { s.drop("Idempotency-Key") }},
	{"another origin", func(s *attempt) bool { return !s.guarded() && s.writes() }, func(s *attempt) {
		s.set("Origin", one(s.random, []string{"https://" + s.marker + ".example", "null", "https://" + s.marker, "http://localhost.evil.example"}))
		s.set("Sec-Fetch-Site", one(s.random, []string{"cross-site", "same-site"}))
	}},
	{"no token", (*attempt).closed, func(s *attempt) { s.drop("Authorization") }},
	{"a bad token", (*attempt).closed, func(s *attempt) {
		s.set("Authorization", one(s.random, []string{"Bearer " + s.marker, "Bearer", "Bearer a.b.c", "Basic " + s.marker, s.marker, "bearer  ", "Bearer eyJhbGciOiJub25lIn0.e30.", "Bearer \xff",
			"Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0." + s.marker, "Bearer " + strings.Repeat("a.", 2000)}))
	}},
}

func (s *attempt) closed() bool { return s.guarded() }

// doubtful are mutations that may leave a request that means something: a text may be any text, and what a route does not
// read it does not judge.
var doubtful = slices.Concat(slices.Repeat(otherValues, 3), otherParts)

// otherValues get as far as the verb, so they are tried more often.
var otherValues = []mutation{
	{"another value", jsonBody, func(s *attempt) {
		v := one(s.random, s.tree.scalars())
		v.text = one(s.random, []string{"null", "true", "1", "-1", "0", "1.5", "1e308", "99999999999999999999999999", "-9223372036854775809", `""`, `"1"`, "{}", "[]", `[[]]`, `{"a":1}`,
			quotedJSON(bad(s)), `"` + strings.Repeat("x", 10000) + `"`})
		s.body = []byte(s.tree.String())
	}},
	{"another parameter", queried, func(s *attempt) {
		all := slices.Clone(s.target.query)
		all[s.random.IntN(len(all))].text = one(s.random, []string{"", "-1", "0", "99999999999999999999", "1e3", "true", "2031-02-30", "9999-12-31", "0000-00-00", bad(s), "١٢"})
		s.request.query = encoded(all)
	}},
	{"another form field", formed, func(s *attempt) {
		all := slices.Clone(s.form)
		all[s.random.IntN(len(all))].text = one(s.random, []string{"", "-1", "99999999999999999999", bad(s), strings.Repeat("x", 10000)})
		s.body = []byte(encoded(all))
	}},
}

var otherParts = []mutation{
	{"no member", jsonBody, func(s *attempt) {
		o := one(s.random, s.tree.objects())
		i := s.random.IntN(len(o.members))
		o.members = slices.Delete(o.members, i, i+1)
		s.body = []byte(s.tree.String())
	}},
	{"no form field", formed, func(s *attempt) {
		i := s.random.IntN(len(s.form))
		s.body = []byte(encoded(slices.Delete(slices.Clone(s.form), i, i+1)))
	}},
	{"headers", always, addNoise},
	{"a cookie", func(s *attempt) bool { return s.has("Cookie") }, func(s *attempt) {
		s.set("Cookie", one(s.random, []string{"tnt_id=" + s.marker, "gms_id=" + s.marker, "tnt_id=; gms_id=", strings.Repeat("a=b; ", 500), "tnt_id=\"" + s.marker, "=" + s.marker, "__Host-tnt_id=" + s.marker}))
	}},
	{"another host", always, func(s *attempt) {
		s.set("Host", one(s.random, []string{s.marker, s.marker + ".localhost", "localhost:99999", "[::1]", "xn--" + s.marker, strings.Repeat("a.", 120) + "localhost", "evil.example", "127.0.0.1"}))
	}},
}

func quotedJSON(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\x00", "").Replace(text) + `"`
}

// addNoise adds unknown and misleading headers.
func addNoise(s *attempt) {
	for range 1 + s.random.IntN(4) {
		name := one(s.random, []string{"X-Request-Id", "Traceparent", "Accept-Language", "X-Currency", "User-Agent", "If-None-Match", "If-Match", "X-Forwarded-For", "X-Forwarded-Proto", "Forwarded",
			"X-Campaign-Source", "X-Campaign-Medium", "X-Campaign-Name", "X-Client-Surface", "X-Bootstrap-Version", "Referer", "Accept", "Range", "Sec-Purpose", "DNT", "Sec-GPC",
			"X-Tenant-Id", "Tracestate", "X-HTTP-Method-Override", "X-Original-URL", "Purpose", "X-Cloud-Trace-Context", "X-Sandbox-Scenario", "Sec-CH-UA", "Baggage", "X-Challenge-Response"})
		text := one(s.random, []string{"", s.marker + " x", " " + s.marker, strings.Repeat(s.marker+" ", 100), "\xff\xfe" + s.marker, "'" + s.marker + " --", "<" + s.marker + ">",
			"*;q=" + s.marker, "00-" + strings.Repeat("0", 32) + "-" + strings.Repeat("0", 16) + "-00", "W/\"" + s.marker + " ", "(" + s.marker + ") {:;}", "é" + s.marker})
		if name == "X-Request-Id" {
			text = s.marker + " x" + text // one that could be used would be answered, as the contract says
		}
		s.add(name, text)
	}
}
