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

// held are the services whose every answer is compared with their documents.
var held = map[string]func() (*Document, error){
	"consumer":      sync.OnceValues(func() (*Document, error) { return Open("consumer", true) }),
	"reservation":   sync.OnceValues(func() (*Document, error) { return Open("reservation", true) }),
	"sandbox":       sync.OnceValues(func() (*Document, error) { return Open("sandbox", true) }),
	"storefront":    sync.OnceValues(func() (*Document, error) { return Open("storefront", true) }),
	"tenantbooking": sync.OnceValues(func() (*Document, error) { return Open("tenantbooking", true) }),
}

// told are headers that a front end relies on: an answer that has one says so in its description.
var told = []string{"ETag", "X-Cache", "Location", "Retry-After", "X-Bootstrap-Version", "WWW-Authenticate"}

// An Answer is what a function has answered.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Check compares an answer with what is published of its service and route: the status, the headers, the code of a problem,
// the whole body. Of what tests make up nothing is held.
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
		return nil // a function that a test has made up
	}
	return d.check(at, a)
}

func (d *Document) check(at string, a Answer) error {
	status := strconv.Itoa(a.Status)
	stated, _ := d.At(at + "/responses/" + status)
	if stated == nil {
		return fmt.Errorf("%s is not described: %.300s", status, a.Body)
	}
	for _, name := range told {
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

// header refuses a header that is not described, or that is described otherwise: its text is a string or what it reads as in JSON.
func (d *Document) header(at, status, name, value string) error {
	schema, pointer := d.At(at, "responses", status, "headers", name, "schema")
	switch {
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

// names refuses a problem whose code the description of its status does not name.
func (d *Document) names(at, status string, body []byte) error {
	var p struct {
		Code string `json:"code"`
	}
	if err := json.Unmarshal(body, &p); err != nil {
		return err
	}
	if says := d.description(at, status); !strings.Contains(says, strings.TrimPrefix(p.Code, "MELMASTOON.")) {
		return fmt.Errorf("%s has the code %s, of which its description says nothing: %q", status, p.Code, says)
	}
	return nil
}

// description is what is said of a status.
func (d *Document) description(at, status string) string {
	response, _ := d.At(at, "responses", status)
	says, _ := Member(response, "description").(string)
	return says
}

// plain is the body as it was before it was compressed.
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
	return nil, errors.New("is in no encoding that is described")
}
