package search

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// An h3Cell is the index of a cell of the H3 grid, in 64 bits: 0, four bits for the mode (1), three zeros, four bits for the
// resolution, seven bits for the base cell, and 15 digits of three bits from coarse to fine. Digits finer than the resolution
// are 7. The consumer service needs parents of cells only, so it does not link the H3 library, which is in C.
type h3Cell uint64

const (
	h3Prefix    = "h3:" // of a cell's name in events and answers
	h3Length    = 15    // hexadecimal digits of a name after the prefix
	h3Mode      = 1     // of cells; other modes are edges and vertices
	h3BaseCells = 122
	h3Finest    = 15 // resolution
	h3Unused    = 7  // digit finer than the resolution
)

// h3Pentagons lists the base cells that are pentagons. They have no child in direction 1.
var h3Pentagons = []uint64{4, 14, 24, 38, 49, 58, 63, 72, 83, 97, 107, 117}

// parseH3 returns the cell with that name, or false if the name is of another grid or of no cell.
func parseH3(name string) (h3Cell, bool) {
	digits, ok := strings.CutPrefix(name, h3Prefix)
	if !ok || len(digits) != h3Length || strings.ToLower(digits) != digits {
		return 0, false
	}
	index, err := strconv.ParseUint(digits, 16, 64)
	c := h3Cell(index)
	return c, err == nil && c.valid()
}

func (c h3Cell) resolution() int  { return int(c >> 52 & 15) }
func (c h3Cell) baseCell() uint64 { return uint64(c >> 45 & 127) }
func (c h3Cell) digit(resolution int) uint64 {
	return uint64(c >> (3 * (h3Finest - resolution)) & 7)
}

// valid reports whether the cell exists.
func (c h3Cell) valid() bool {
	if c>>56 != h3Mode<<3 || c.baseCell() >= h3BaseCells {
		return false
	}
	center := true // the digits so far are 0
	for r := 1; r <= h3Finest; r++ {
		d := c.digit(r)
		if (d == h3Unused) != (r > c.resolution()) {
			return false
		}
		if center && d == 1 && slices.Contains(h3Pentagons, c.baseCell()) {
			return false
		}
		center = center && d == 0
	}
	return true
}

// parent returns the cell at a coarser resolution from which this cell descends, or false if this cell is coarser.
func (c h3Cell) parent(resolution int) (h3Cell, bool) {
	if resolution > c.resolution() {
		return 0, false
	}
	unused := h3Cell(1)<<(3*(h3Finest-resolution)) - 1
	return c&^(15<<52) | h3Cell(resolution)<<52 | unused, true
}

func (c h3Cell) String() string { return fmt.Sprintf("%s%x", h3Prefix, uint64(c)) }

// areaResolution is the resolution of areas: cells of about 40 km.
const areaResolution = 4

// areaOf returns the name of the area that contains a cell, or false for a name of another grid and for a coarser cell.
func areaOf(geoCell string) (string, bool) {
	c, ok := parseH3(geoCell)
	if !ok {
		return "", false
	}
	area, ok := c.parent(areaResolution)
	return area.String(), ok
}
