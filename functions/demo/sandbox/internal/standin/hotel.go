package standin

// A Name is a hotel's name, with translations.
type Name struct {
	Default   string            `json:"default"`
	Localized map[string]string `json:"localized"`
}

// A Geo is a position in degrees.
type Geo struct {
	Lat float64 `json:"lat"`
	Lng float64 `json:"lng"`
}

// A Rating is the average rating by guests, from 1 to 5.
type Rating struct {
	Value float64 `json:"value"`
	Count int     `json:"count"`
}

// OrNone returns nil if there are no ratings.
func (r Rating) OrNone() *Rating {
	if r.Count == 0 {
		return nil
	}
	return &r
}
