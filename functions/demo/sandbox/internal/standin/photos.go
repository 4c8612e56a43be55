package standin

// A Photo is a picture with its description.
type Photo struct {
	URL  string `json:"url"`
	Alt  Name   `json:"alt"`
	Hero bool   `json:"isHero"` // the one to show if only one fits
}
