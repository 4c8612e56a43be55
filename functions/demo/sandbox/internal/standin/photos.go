package standin

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"
)

// A Photo is a picture with its description. Pictures are drawn deterministically from the id of the thing they show.
type Photo struct {
	URL  string `json:"url"`
	Alt  Name   `json:"alt"`
	Hero bool   `json:"isHero"` // the one to show if only one fits
}

// PhotosOf returns n pictures of the thing with that id and name.
func PhotosOf(thing [16]byte, name Name, n int, draw func(ink) string) []Photo {
	photos := make([]Photo, n)
	for i := range photos {
		photos[i] = Photo{URL: DataURL(draw(inkOf(thing, byte(i)))), Alt: name, Hero: i == 0}
	}
	return photos
}

// DataURL returns a picture as a data URL, so that showing it needs no other request.
func DataURL(svg string) string {
	return "data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString([]byte(svg))
}

// An ink holds the pseudorandom numbers of a picture, derived from the thing it shows.
type ink [sha256.Size]byte

func inkOf(thing [16]byte, n byte) ink { return sha256.Sum256(append(thing[:], n)) }

// hue returns a colour with the given saturation and lightness.
func (k ink) hue(which, saturation, lightness int) string {
	return fmt.Sprintf("hsl(%d,%d%%,%d%%)", int(k[which])*360/256, saturation, lightness)
}

// between returns a number from least to most.
func (k ink) between(which, least, most int) int { return least + int(k[which])*(most-least+1)/256 }

const canvas = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 320 200" preserveAspectRatio="xMidYMid slice">`

// Facade draws a façade with arches before mountains.
func Facade(k ink) string {
	var b strings.Builder
	b.WriteString(canvas)
	fmt.Fprintf(&b, `<path fill="%s" d="M0 0h320v200H0z"/><circle fill="%s" cx="%d" cy="%d" r="18"/>`,
		k.hue(0, 55, 82), k.hue(1, 80, 88), k.between(2, 40, 280), k.between(3, 26, 54))
	k.mountains(&b, 140)
	wall := k.hue(4, 30, 76)
	fmt.Fprintf(&b, `<path fill="%s" d="M30 92h260v88H30z"/><path fill="%s" d="M22 84h276v10H22zM0 178h320v22H0z"/>`, wall, k.hue(5, 35, 40))
	arches := k.between(6, 5, 8)
	for i := range arches {
		x := 40 + i*240/arches
		w := 240/arches - 14
		fmt.Fprintf(&b, `<path fill="%s" d="M%d 172v-40a%d %d 0 0 1 %d 0v40z"/><path fill="%s" d="M%d 114v-8h%dv8z"/>`,
			k.hue(7, 40, 30), x, w/2, w/2, w, k.hue(8, 60, 58), x, w)
	}
	return b.String() + `</svg>`
}

// Chamber draws a bed below a window, on a carpet.
func Chamber(k ink) string {
	var b strings.Builder
	b.WriteString(canvas)
	fmt.Fprintf(&b, `<path fill="%s" d="M0 0h320v150H0z"/><path fill="%s" d="M0 150h320v50H0z"/>`, k.hue(0, 26, 86), k.hue(9, 26, 46))
	fmt.Fprintf(&b, `<svg x="%d" y="18" width="120" height="76" viewBox="0 60 320 110" preserveAspectRatio="xMidYMid slice"><path fill="%s" d="M0 0h320v200H0z"/>`,
		k.between(1, 20, 60), k.hue(10, 60, 84))
	k.mountains(&b, 190)
	b.WriteString(`</svg>`)
	fmt.Fprintf(&b, `<path fill="%s" d="M20 186h200l16-26H36z"/><path fill="%s" d="M40 180h160l8-13H50z"/>`, k.hue(4, 60, 36), k.hue(5, 65, 56))
	x := k.between(6, 120, 150)
	fmt.Fprintf(&b, `<g transform="translate(%d 84)"><path fill="%s" d="M0 0h150v44H0z"/><path fill="#fff" d="M-6 40h162v34H-6z"/><path fill="%s" d="M-6 54h162v26H-6z"/><path fill="#fff" d="M14 28h50v16H14zM86 28h50v16H86z"/></g>`,
		x, k.hue(7, 30, 34), k.hue(8, 50, 50))
	return b.String() + `</svg>`
}

// mountains draws two rows of mountains down to the given height.
func (k ink) mountains(b *strings.Builder, foot int) {
	for row := range 2 {
		fmt.Fprintf(b, `<path fill="%s" d="M0 %d`, k.hue(11, 20, 68-row*14), foot)
		for i := range 5 {
			fmt.Fprintf(b, "L%d %dL%d %d", i*80+10, foot-k.between(12+row*8+i, 40, 92)+row*24, i*80+52, foot-k.between(17+row*8+i, 14, 40)+row*16)
		}
		fmt.Fprintf(b, `L400 %dz"/>`, foot)
	}
}
