package cloud

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/local/bus"
)

// stream sends published events as structured CloudEvents over SSE: those after the header Last-Event-ID, with ?replay=1 those from the
// start of this run, else the future ones. With ?type=SUBJECT, which may be repeated, it sends events of these types only.
func (c *Cloud) stream(w http.ResponseWriter, r *http.Request, begin int64) {
	types := r.URL.Query()["type"]
	for _, name := range types {
		if !c.publishes(name) {
			http.Error(w, fmt.Sprintf("No function publishes %q. GET /-/catalogue lists the types as emits.", name), http.StatusBadRequest)
			return
		}
	}
	last, err := c.bus.Last(r.Context())
	if err != nil {
		http.Error(w, "The message bus does not answer.", http.StatusServiceUnavailable)
		return
	}
	after, err := position(r, begin, last)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	out := http.NewResponseController(w)
	_ = out.SetReadDeadline(time.Time{}) // the stream may exceed the server's timeout
	_ = out.Flush()
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(c.life, cancel)() // a closing cloud ends its streams
	_ = c.bus.Tail(ctx, after, func(m bus.Stored) error {
		if len(types) > 0 && !slices.Contains(types, m.Attributes["ce-type"]) {
			return nil
		}
		body, err := structured(m)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "id: %d\ndata: %s\n\n", m.Seq, body); err != nil {
			return err
		}
		return out.Flush()
	}) // the client has disconnected, or the cloud is closing
}

// position returns the position after which a stream begins. A client that reconnects names the last one that it has received. If
// that is beyond the last one of the bus, it is from before ./scripts/run --fresh, and the stream begins with the first event.
func position(r *http.Request, begin, last int64) (int64, error) {
	id := r.Header.Get("Last-Event-ID")
	switch after, err := strconv.ParseInt(id, 10, 64); {
	case id == "" && r.URL.Query().Get("replay") == "1":
		return begin, nil
	case id == "":
		return last, nil
	case err != nil, after < 0:
		return 0, fmt.Errorf("Last-Event-ID: %q is no id of this stream", id)
	case after > last:
		return 0, nil
	default:
		return after, nil
	}
}

// publishes reports whether a function of this cloud publishes the subject.
func (c *Cloud) publishes(subject string) bool {
	for _, f := range c.functions {
		if slices.ContainsFunc(f.Spec.Publishes, func(s event.Subject) bool { return s.Name == subject }) {
			return true
		}
	}
	return false
}

// structured parses a stored message as a function does, and returns it as a JSON CloudEvent.
func structured(m bus.Stored) ([]byte, error) {
	raw, err := event.Of(m.Attributes, m.Data)
	if err != nil {
		return nil, err
	}
	return raw.Structured()
}
