package hotel

import (
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
)

// A PropertyView is the representation of a property in the guest's language.
type PropertyView struct {
	Property id.Property `json:"propertyId"`
	Name     string      `json:"name"`
	TimeZone string      `json:"timeZone"`
	Contact
	RoomTypes []RoomTypeView `json:"roomTypes"`
	RatePlans []RatePlanView `json:"ratePlans"`
}

// A RatePlanView is the representation of a rate plan without its prices and policies.
type RatePlanView struct {
	RatePlan id.RatePlan `json:"ratePlanId"`
	Name     string      `json:"name"`
	MealPlan string      `json:"mealPlan"`
}

// A RoomTypeView is the representation of a room type in the guest's language.
type RoomTypeView struct {
	RoomType     id.RoomType `json:"roomTypeId"`
	Name         string      `json:"name"`
	Description  string      `json:"description"`
	Photos       []PhotoView `json:"photos"`
	MaxOccupancy int         `json:"maxOccupancy"`
}

// A PhotoView is the representation of a photo in one language.
type PhotoView struct {
	URL  string `json:"url"`
	Alt  string `json:"alt"`
	Hero bool   `json:"isHero"`
}

// PropertyViews returns the representation of properties in a language.
func PropertyViews(properties []Property, l locale.Tag) []PropertyView {
	shown := []PropertyView{}
	for _, h := range properties {
		v := PropertyView{Property: h.ID, Name: h.Name.In(l), TimeZone: h.TimeZone, Contact: h.Contact, RoomTypes: []RoomTypeView{}, RatePlans: []RatePlanView{}}
		for _, r := range h.RoomTypes {
			v.RoomTypes = append(v.RoomTypes, r.in(l))
		}
		for _, r := range h.RatePlans {
			v.RatePlans = append(v.RatePlans, RatePlanView{RatePlan: r.ID, Name: r.Name, MealPlan: r.MealPlan})
		}
		shown = append(shown, v)
	}
	return shown
}

// in returns the representation of the room type in a language.
func (r RoomType) in(l locale.Tag) RoomTypeView {
	text := locale.Among(r.Localized, l, RoomText{r.Name, r.Description})
	v := RoomTypeView{
		RoomType:     r.ID,
		Name:         text.Name,
		Description:  text.Description,
		Photos:       []PhotoView{},
		MaxOccupancy: r.MaxOccupancy,
	}
	for _, p := range r.Photos {
		v.Photos = append(v.Photos, PhotoView{URL: p.URL, Alt: p.Alt.In(l), Hero: p.Hero})
	}
	return v
}

// A PolicyView is a house rule of a property in the guest's language.
type PolicyView struct {
	Property id.Property `json:"propertyId"`
	Kind     string      `json:"kind"`
	Title    string      `json:"title"`
	Text     string      `json:"text"`
}

// PolicyViews returns house rules in a language.
func PolicyViews(rules []HouseRule, l locale.Tag) []PolicyView {
	shown := []PolicyView{}
	for _, r := range rules {
		shown = append(shown, PolicyView{Property: r.Property, Kind: r.Kind, Title: r.Title.In(l), Text: r.Text.In(l)})
	}
	return shown
}
