package decode

import (
	"encoding"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/shared/fault"
)

// Decode fills into, a pointer to an In, from a request and its body. Then it calls the Validate method, or ValidateAt with the
// time of the call, if there is one.
func (p *Plan) Decode(r *http.Request, body []byte, into any, now time.Time) error {
	if err := p.decodeFields(r, body, into); err != nil {
		return err
	}
	if err := p.decodeBody(r, body, into); err != nil {
		return err
	}
	switch v := into.(type) {
	case interface{ Validate() error }:
		return invalid(v.Validate())
	case interface{ ValidateAt(time.Time) error }:
		return invalid(v.ValidateAt(now))
	}
	return nil
}

// invalid turns an error of Validate into a fault. Only the texts of a fault are shown to the caller.
func invalid(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*fault.Fault](err); ok {
		return err
	}
	return fault.ErrValidation.Because(err)
}

func (p *Plan) decodeFields(r *http.Request, body []byte, into any) error {
	query, form, err := p.values(r, body)
	if err != nil {
		return err
	}
	in := reflect.ValueOf(into).Elem()
	var violations []fault.Violation
	for _, f := range p.fields {
		rule := f.decode(r, query, form, in.Field(f.index))
		if rule != "" && f.source == "path" {
			return fault.ErrNotFound // a malformed id identifies nothing
		}
		if rule != "" {
			violations = append(violations, Violation("/"+f.name, rule))
		}
	}
	if violations != nil {
		return fault.ErrValidation.With(violations...)
	}
	return nil
}

// values parses the query and the form, if a field needs them.
func (p *Plan) values(r *http.Request, body []byte) (query, form url.Values, err error) {
	var noQuery, noForm error
	if p.Reads("query") {
		query, noQuery = url.ParseQuery(r.URL.RawQuery)
	}
	if p.Reads("form") {
		if err := checkType(r.Header, formType); err != nil {
			return nil, nil, err
		}
		form, noForm = url.ParseQuery(string(body))
	}
	if errors.Join(noQuery, noForm) != nil {
		return nil, nil, fault.ErrValidation.With(Violation("", Form))
	}
	return query, form, nil
}

// decode fills one field. It returns the violated rule, or "".
func (f field) decode(r *http.Request, query, form url.Values, to reflect.Value) string {
	var given []string
	switch f.source {
	case "path":
		given = []string{r.PathValue(f.name)}
	case "query":
		given = query[f.name]
	case "header":
		given = r.Header.Values(f.name)
	case "form":
		given = form[f.name]
	}
	switch {
	case len(given) == 0 && f.optional:
		return ""
	case len(given) == 0:
		return required
	case len(given) > 1:
		return Once
	}
	target := to.Addr().Interface()
	if m, ok := target.(Optional); ok {
		target = m.Optional()
	}
	if assign(target, given[0]) != nil {
		return Form
	}
	return ""
}

var (
	errNotText     = errors.New("not UTF-8 text")
	errUnsupported = errors.New("decode: unsupported type")
)

// assign parses text into the value that target points to.
func assign(target any, text string) error {
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return errNotText
	}
	if u, ok := target.(encoding.TextUnmarshaler); ok {
		return u.UnmarshalText([]byte(text))
	}
	to := reflect.ValueOf(target).Elem()
	switch to.Kind() {
	case reflect.String:
		to.SetString(text)
		return nil
	case reflect.Int, reflect.Int64:
		n, err := strconv.ParseInt(text, 10, to.Type().Bits())
		to.SetInt(n)
		return err
	}
	return errUnsupported
}

// decodeBody compares the body with the type in one pass that finds every unknown and missing member, and then decodes it.
func (p *Plan) decodeBody(r *http.Request, body []byte, into any) error {
	if p.Reads("form") || !TakesBody(r.Method) || (!p.json && len(body) == 0) {
		return nil
	}
	if err := checkType(r.Header, jsonType); err != nil {
		return err
	}
	if err := compare(body, p.in); err != nil {
		return err
	}
	return wrongValue(json.Unmarshal(body, into))
}

// wrongValue turns a decoder's error into a violation. The value itself is neither shown nor logged.
func wrongValue(err error) error {
	if err == nil {
		return nil
	}
	e, ok := errors.AsType[*json.SemanticError](err)
	if !ok {
		return fault.ErrMalformedJSON
	}
	rule := wrongType
	if e.Err != nil {
		rule = Form
	}
	return fault.ErrValidation.
		Because(fmt.Errorf("%s is not a valid %v", e.JSONPointer, e.GoType)).
		With(Violation(string(e.JSONPointer), rule))
}

const (
	jsonType = "application/json"
	formType = "application/x-www-form-urlencoded"
)

// checkType rejects a compressed body and a body with another content type than want.
func checkType(h http.Header, want string) error {
	if encoding := h.Get("Content-Encoding"); encoding != "" && encoding != "identity" {
		return fault.ErrUnsupportedMedia
	}
	media, params, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil || media != want {
		return fault.ErrUnsupportedMedia
	}
	if charset := params["charset"]; charset != "" && !strings.EqualFold(charset, "utf-8") {
		return fault.ErrUnsupportedMedia
	}
	return nil
}
