package id_test

import (
	"strings"
	"testing"

	"melmastoon.ghasi.io/shared/id"
)

// TestPrefixes repeats the platform's registry: ids with these prefixes are in other people's databases.
func TestPrefixes(t *testing.T) {
	t.Parallel()
	for want, got := range map[string]string{
		"tnt": id.New[id.Tenant]().String(), "ppt": id.New[id.Property]().String(), "rmt": id.New[id.RoomType]().String(),
		"rate": id.New[id.RatePlan]().String(), "qte": id.New[id.Quote]().String(),
		"rsv": id.New[id.Reservation]().String(), "hld": id.New[id.Hold]().String(), "inv": id.New[id.Allocation]().String(),
		"rit": id.New[id.Item]().String(), "gst": id.New[id.Guest]().String(), "pyi": id.New[id.Intent]().String(),
		"rfd": id.New[id.Refund]().String(), "fxs": id.New[id.FX]().String(), "evt": id.New[id.Event]().String(),
		"req": id.New[id.Request]().String(), "bdr": id.New[id.Draft]().String(),
		"tnt_session": id.New[id.TenantSession]().String(), "gms": id.New[id.GuestSession]().String(),
		"srs": id.New[id.SearchSession]().String(), "wsh": id.New[id.Wish]().String(), "mpv": id.New[id.PageView]().String(),
		"cfe": id.New[id.FunnelEvent]().String(),
	} {
		t.Run(want, func(t *testing.T) {
			if prefix := got[:strings.LastIndexByte(got, '_')]; prefix != want {
				t.Errorf("got %s, want the prefix %s", got, want)
			}
		})
	}
}
