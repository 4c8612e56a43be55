package demo

import (
	"math/rand/v2"

	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
)

// seed makes the generated hotels the same on every machine.
const seed = 1404

// examples is the number of hotels that are written out in full.
const examples = 2

// Named returns the number of handwritten hotels. All further ones are generated.
func Named() (int, error) {
	a, err := readAtlas()
	if err != nil {
		return 0, err
	}
	return examples + len(a.named), nil
}

// Hotels returns the first n hotels: the two of the examples, the handwritten ones, and then generated ones. The n-th
// is always the same.
func Hotels(n int) ([]Hotel, error) {
	a, err := readAtlas()
	if err != nil {
		return nil, err
	}
	all := make([]Hotel, n)
	for i := range all {
		if all[i], err = a.hotel(i); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (a *atlas) hotel(i int) (Hotel, error) {
	switch {
	case i == 0:
		return KabulGrand, nil
	case i == 1:
		return HeratGarden, nil
	case i < examples+len(a.named):
		return a.build(a.named[i-examples])
	}
	return a.build(a.draw(i + 1))
}

// draw generates the n-th hotel. It does not depend on other hotels.
func (a *atlas) draw(n int) draft {
	r := rand.New(rand.NewPCG(seed, uint64(n)))
	at := a.cities[0]
	if r.IntN(5) > 0 { // one in five is in Kabul
		at = a.cities[r.IntN(len(a.cities))]
	}
	const widest = 0.1 // degrees, from one side of a city to the other
	d := draft{number: n, city: at.ID, noun: a.words[r.IntN(len(a.words))],
		kind:  []string{"hotel", "hotel", "hotel", "guesthouse", "guesthouse", "hostel", "apartment"}[r.IntN(7)],
		stars: []int{1, 2, 2, 3, 3, 3, 3, 4, 4, 5}[r.IntN(10)],
		at:    standin.Geo{Lat: at.Lat + (r.Float64()-0.5)*widest, Lng: at.Lng + (r.Float64()-0.5)*widest}}
	if count := r.IntN(400); count > 20 { // few have no ratings
		d.rating = standin.Rating{Value: float64(30+r.IntN(20)) / 10, Count: count}
	} else {
		d.extras = append(d.extras, newHotel)
	}
	for _, extra := range []string{"garden", "heating", "generator", "women-only-area", "kitchen", "laundry"} {
		if r.IntN(4) == 0 {
			d.extras = append(d.extras, extra)
		}
	}
	return d
}
