package sabotage

var currentResponses = guarantee{name: "current responses", mutations: []mutation{
	{
		name: "an ended draft stays active in its session", file: "functions/tenantbooking/internal/booking/drafts.go",
		from: "\t\ts.active.Clear(ctx, d.Tenant, d.Session, d.ID)\n", to: "",
		pkg: "functions/tenantbooking", test: "TestActiveDraft_clearedAtEnd",
	}, {
		name: "bootstrap returns the draft that the session names, unchecked",
		file: "functions/tenantbooking/internal/booking/activedrafts.go",
		from: "draft_id = @draft AND session_id = @session AND ended_at IS NULL", to: "(draft_id = @draft OR session_id = @session)",
		pkg: "functions/tenantbooking", test: "TestActiveDraft_checkedOnRead",
	}, {
		name: "guests open payments while the site is read-only", file: "functions/tenantbooking/openintent/openintent.go",
		from: "}, New, tenantbooking.NewBookings)", to: "}, New)",
		pkg: "functions/tenantbooking", test: "TestReadOnly",
	}, {
		name: "an invalid document switches features off", file: "shared/platform/flags/flags.go",
		from: "if noRates == nil && noFeatures == nil {", to: "if noRates == nil || noFeatures == nil {",
		pkg: "shared/platform/flags", test: "TestRefresh_invalidDocumentKeepsLast",
	}, {
		name: "every hotel's site shows the theme of the first", file: "functions/tenantbooking/internal/hotel/storefront.go",
		from: "return s.themeCache.FetchDated(ctx, document.KeyOf(t.String())", to: `return s.themeCache.FetchDated(ctx, document.KeyOf("any")`,
		pkg: "functions/tenantbooking/bootstrap", test: "TestCached_perTenantLanguageCurrency",
	}, {
		name: "a cancelled booking counts for popularity", file: "functions/demo/sandbox/internal/search/demand.go",
		from: "interval '24 hours' AND b.cancelled_at IS NULL)", to: "interval '24 hours')",
		pkg: "functions/demo/sandbox", test: "TestPopularity_bookings",
	}, {
		name: "a view by a wrong clock counts for a day", file: "functions/demo/sandbox/internal/search/demand.go",
		from: "least(@at, platform.now()))", to: "@at)",
		pkg: "functions/demo/sandbox", test: "TestPopularity_views",
	}, {
		name: "a number of one guest is shown as popularity", file: "functions/consumer/internal/search/popularity.go",
		from: "const minPopularity = 3", to: "const minPopularity = 1",
		pkg: "functions/consumer/readhotel", test: "TestReadHotel_popularity",
	}, {
		name: "a hotel in a city of the same name is similar", file: "functions/consumer/internal/search/selections.go",
		from: "if listing.Property != hotel.ID && listing.Country == hotel.Country {", to: "if listing.Property != hotel.ID {",
		pkg: "functions/consumer/readhotel", test: "TestReadHotel_similar",
	}, {
		name: "a suspended hotel keeps its card on a wishlist", file: "functions/consumer/internal/search/search.go",
		from: "\t\tif closed[listing.Tenant] {\n", to: "\t\tif closed == nil {\n",
		pkg: "functions/consumer", test: "TestWishlist_cardsOfGoneHotels",
	}, {
		name: "a hotel without an exchange rate has no price", file: "functions/demo/sandbox/internal/pricing/previews.go",
		from: "\tfor _, h := range hotels {\n\t\tif fx := rates[h.tariff.Currency]; fx != nil {\n",
		to:   "\tfor p, h := range hotels {\n\t\tif fx := rates[h.tariff.Currency]; fx == nil && h.tariff.Currency != y.Currency {\n\t\t\tdelete(hotels, p)\n\t\t} else if fx != nil {\n",
		pkg:  "functions/demo/sandbox", test: "TestPreview_noExchangeRate",
	}, {
		name: "any badge of the search service is shown", file: "functions/consumer/internal/search/listing.go",
		from: "if badge.known() {", to: "if badge != \"\" {",
		pkg: "functions/consumer/internal/search", test: "TestListing_badges",
	}, {
		name: "the last event about a tenant overrides the tenant service forever",
		file: "functions/consumer/internal/search/tenants.go",
		from: "counts := statusForOne", to: "counts := statusForLists",
		pkg: "functions/consumer/minthandoff", test: "TestStatus_eventLost",
	}, {
		name: "each page of a search has an order of its own", file: "functions/consumer/internal/search/listings.go",
		from: "p.Offset > 0 && shown.Sort == question.Sort", to: "p.Offset > 0 && shown.Found < 0",
		pkg: "functions/consumer/search", test: "TestPages_oneOrder",
	}, {
		name: "a new hotel appears when the cached lists expire", file: "functions/consumer/internal/search/listings.go",
		from: "changed = append(changed, area)", to: "_ = area",
		pkg: "functions/consumer/search", test: "TestSearch_newHotel",
	}, {
		name: "a new hotel invalidates the lists of all areas", file: "functions/consumer/internal/search/h3.go",
		from: "return area.String(), ok", to: "return area.String()[:len(\"h3:84\")], ok",
		pkg: "functions/consumer/search", test: "TestSearch_newHotel",
	}, {
		name: "the cells of a place lack those at its edge", file: "functions/demo/sandbox/internal/search/cells.go",
		from: "> reachKm {", to: "> reachKm/2 {",
		pkg: "functions/demo/sandbox/internal/search", test: "TestCover_containsItsHotels",
	}, {
		name: "a map that is moved a little has other pins", file: "functions/consumer/internal/search/listings.go",
		from: "q.Geo.Box = q.Geo.coarse()", to: "_ = q.Geo.coarse()",
		pkg: "functions/consumer/searchmap", test: "TestSearchMap_pan",
	}, {
		name: "a cluster keeps its suspended hotel", file: "functions/consumer/internal/search/map.go",
		from: "if last.IsZero() {", to: "if last.IsZero() || len(closed) > 0 {",
		pkg: "functions/consumer/searchmap", test: "TestSearchMap_suspendedInCluster",
	}, {
		name: "a hotel is found although its main room is taken", file: "functions/demo/sandbox/internal/search/found.go",
		from: "WHERE a.room_type_id = l.main_room_type AND a.state", to: "WHERE false AND a.room_type_id = l.main_room_type AND a.state",
		pkg: "functions/demo/sandbox", test: "TestSearch_lastRoom",
	}, {
		name: "each cluster counts one hotel", file: "functions/demo/sandbox/internal/search/pins.go",
		from: "r.place[0], r.n, r.x", to: "r.place[0], 1::bigint, r.x",
		pkg: "functions/demo/sandbox", test: "TestPins_clusters",
	}, {
		name: "a cluster is in the place of its most popular hotel", file: "functions/demo/sandbox/internal/search/pins.go",
		from: "p.Geo = sum.direction()", to: "_ = sum.direction()",
		pkg: "functions/demo/sandbox", test: "TestPins_clusters",
	}, {
		name: "cached values survive their invalidation", file: "shared/platform/cache/cache.go",
		from: "slices.Equal(v.last.Epochs, v.epochs) &&", to: "",
		pkg: "functions/tenantbooking/bootstrap", test: "TestCached_eventsInvalidate",
	}, {
		name: "a new theme invalidates the configuration too", file: "functions/tenantbooking/themepublished/themepublished.go",
		from: "hotel.OfLook(t)}", to: "hotel.OfLook(t), hotel.OfConfiguration(t)}",
		pkg: "functions/tenantbooking", test: "TestEvents_exactEffects",
	}, {
		name: "an allocation invalidates no month", file: "functions/tenantbooking/internal/hotel/rooms.go",
		from: "append(OfStay(s.Tenant, s.Property, s.Stay.Window()), OfProperty(s.Tenant, s.Property))",
		to:   "[]cache.Epoch{OfProperty(s.Tenant, s.Property)}",
		pkg:  "functions/tenantbooking", test: "TestEvents_exactEffects",
	}, {
		name: "a guest loses the booking with the snapshot of its draft",
		file: "functions/tenantbooking/internal/booking/drafts.go",
		from: "if d.State == Confirmed {", to: "if false {",
		pkg: "functions/tenantbooking", test: "TestOwner_withoutSnapshot",
	},
}}
