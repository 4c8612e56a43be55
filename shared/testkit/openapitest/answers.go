package openapitest

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
)

// held lists the services whose answers are validated against their OpenAPI documents.
var held = map[string]func() (*Document, error){
	"consumer":      sync.OnceValues(func() (*Document, error) { return Open("consumer", true) }),
	"frontdesk":     sync.OnceValues(func() (*Document, error) { return Open("frontdesk", true) }),
	"reservation":   sync.OnceValues(func() (*Document, error) { return Open("reservation", true) }),
	"sandbox":       sync.OnceValues(func() (*Document, error) { return Open("sandbox", true) }),
	"storefront":    sync.OnceValues(func() (*Document, error) { return Open("storefront", true) }),
	"tenantbooking": sync.OnceValues(func() (*Document, error) { return Open("tenantbooking", true) }),
}

// describedHeaders lists headers that clients rely on: if an answer has one, its description must list it.
var describedHeaders = []string{
	"ETag", "X-Cache", "Location", "Retry-After", "X-Bootstrap-Version", "WWW-Authenticate",
	"X-Request-Id", "RateLimit", "RateLimit-Policy", "Content-Language", "Idempotent-Replayed",
}

// An Answer is an HTTP answer of a function.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Check validates an answer against the OpenAPI document of its service: status, headers, the code of a problem, and the body.
// It ignores functions that exist only in tests.
func Check(service, route string, a Answer) error {
	open, ok := held[service]
	if !ok {
		return nil
	}
	d, err := open()
	if err != nil {
		return err
	}
	at := Operation(route)
	if operation, _ := d.At(at); operation == nil {
		return nil // a function that exists only in a test
	}
	return d.check(at, a)
}

func (d *Document) check(at string, a Answer) error {
	status := strconv.Itoa(a.Status)
	stated, _ := d.At(at + "/responses/" + status)
	if stated == nil {
		return fmt.Errorf("%s is not described: %.300s", status, a.Body)
	}
	for _, name := range describedHeaders {
		if err := d.header(at, status, name, a.Header.Get(name)); err != nil {
			return err
		}
	}
	body, err := plain(a)
	if err != nil || len(body) == 0 {
		return err
	}
	media, _, _ := strings.Cut(a.Header.Get("Content-Type"), ";")
	schema, pointer := d.At(at, "responses", status, "content", media, "schema")
	if schema == nil {
		return fmt.Errorf("%s as %s is not described: %.300s", status, media, body)
	}
	if strings.HasSuffix(media, "json") {
		err = d.ValidateText(pointer, body)
	} else {
		err = d.Validate(pointer, string(body))
	}
	if err != nil {
		return fmt.Errorf("%s: %w: %.300s", status, err, body)
	}
	if media == "application/problem+json" {
		return d.names(at, status, body)
	}
	return nil
}

// header rejects a header that is not described, is required and absent, or does not match its schema, as a string or as the JSON
// value of its text.
func (d *Document) header(at, status, name, value string) error {
	schema, pointer := d.At(at, "responses", status, "headers", name, "schema")
	switch required, _ := d.At(at, "responses", status, "headers", name, "required"); {
	case value == "" && required == true:
		return fmt.Errorf("%s has no %s", status, name)
	case value == "":
		return nil
	case schema == nil:
		return fmt.Errorf("%s has %s: %s, which is not described", status, name, value)
	}
	err := d.Validate(pointer, value)
	if err != nil && d.ValidateText(pointer, []byte(value)) != nil {
		return fmt.Errorf("%s has %s: %w", status, name, err)
	}
	return nil
}

// names rejects a problem if the description of its status does not name its code.
func (d *Document) names(at, status string, body []byte) error {
	var p struct {
		Code string `json:"code"`
	}
	if err := json.Unmarshal(body, &p); err != nil {
		return err
	}
	if description := d.description(at, status); !strings.Contains(description, strings.TrimPrefix(p.Code, "MELMASTOON.")) {
		return fmt.Errorf("%s has the code %s, which its description does not name: %q", status, p.Code, description)
	}
	return nil
}

// description returns the description of a status.
func (d *Document) description(at, status string) string {
	response, _ := d.At(at, "responses", status)
	description, _ := Member(response, "description").(string)
	return description
}

// plain returns the decompressed body.
func plain(a Answer) ([]byte, error) {
	switch a.Header.Get("Content-Encoding") {
	case "":
		return a.Body, nil
	case "gzip":
		r, err := gzip.NewReader(bytes.NewReader(a.Body))
		if err != nil {
			return nil, err
		}
		return io.ReadAll(r)
	}
	return nil, errors.New("has an unknown content encoding")
}
