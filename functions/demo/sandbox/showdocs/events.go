package showdocs

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// An asyncAPI is the part of the AsyncAPI document that the page shows.
type asyncAPI struct {
	Operations map[string]struct {
		Action  string `json:"action"`
		Channel struct {
			Ref string `json:"$ref"`
		} `json:"channel"`
		Service    string `json:"x-service"`
		DeadLetter string `json:"x-dead-letter"`
	} `json:"operations"`
	Components struct {
		Messages map[string]struct {
			Summary string `json:"summary"`
			Payload struct {
				Properties struct {
					Payload schema `json:"payload"`
				} `json:"properties"`
			} `json:"payload"`
		} `json:"messages"`
	} `json:"components"`
}

// An event is one subject, with the functions that consume it and the members of its payload.
type event struct {
	Subject, Title string
	schema
	Receivers []receiver
	Members   []member
}

// A receiver is a function that consumes a subject.
type receiver struct{ Function, DeadLetter string }

// readEvents reads the events from the bundled AsyncAPI document.
func readEvents(text []byte) (all []event, err error) {
	var d asyncAPI
	if err := parse("asyncapi.json", text, &d); err != nil {
		return nil, err
	}
	for _, subject := range slices.Sorted(maps.Keys(d.Components.Messages)) {
		m := d.Components.Messages[subject]
		e := event{Subject: subject, Title: m.Summary, schema: m.Payload.Properties.Payload}
		e.Members = e.schema.members("", nil)
		for name, o := range d.Operations {
			if o.Action == "receive" && strings.TrimPrefix(o.Channel.Ref, "#/channels/") == subject {
				e.Receivers = append(e.Receivers, receiver{strings.TrimPrefix(name, "consume."), o.DeadLetter})
			}
		}
		slices.SortFunc(e.Receivers, func(a, b receiver) int { return cmp.Compare(a.Function, b.Function) })
		all = append(all, e)
	}
	return all, nil
}
