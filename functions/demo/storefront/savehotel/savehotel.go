// Package savehotel saves a hotel on the list of a guest of the site of all hotels, or removes it.
package savehotel

import (
	"context"
	"net/url"
	"time"

	"melmastoon.ghasi.io/functions/demo/storefront/internal/marketplace"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves POST /hotels/{propertyId}/saved.
var Function = marketplace.HTTP(fn.Spec{
	Name:    "storefront-savehotel",
	Route:   "POST " + marketplace.Home + "/{propertyId}/saved",
	Answer:  fn.SeeOther,
	Timeout: 4 * time.Second,
}, save)

// A Request is a form of a hotel's page, or of the page with the saved hotels.
type Request struct {
	Property id.Property `path:"propertyId"`
	Saved    string      `form:"saved,optional"` // empty: the hotel is removed
	Back     string      `form:"back"`
	Once     string      `form:"once"`
	Response string      `form:"response,optional"` // to a challenge
}

func save(ctx context.Context, c marketplace.Call[Request]) (fn.Page, error) {
	c.Answer(c.In.Response)
	act, notice := c.Remove, "removed"
	if c.In.Saved != "" {
		act, notice = c.Save, "saved"
	}
	if err := act(ctx, c.In.Property, c.In.Once); err != nil {
		return c.Refused(err, c.In.Back, url.Values{"saved": {c.In.Saved}, "back": {c.In.Back}, "once": {c.In.Once}}), nil
	}
	return c.ToBack(c.In.Back, notice), nil
}
