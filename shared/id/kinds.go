package id

// The kinds of ids. Prefixes are the platform's registry and never change.
type (
	// Tenant is a hotel company.
	Tenant = ID[tenant]
	// Property is one of a tenant's hotels.
	Property = ID[property]
	// RoomType is a kind of room that guests choose.
	RoomType = ID[roomType]
	// RatePlan is a price with its conditions.
	RatePlan = ID[ratePlan]
	// Quote is a price with an expiry.
	Quote = ID[quote]
	// Reservation is a booking, starting with its hold.
	Reservation = ID[reservation]
	// Hold is a reservation's claim on rooms until it is paid.
	Hold = ID[hold]
	// Allocation is inventory's record of occupied rooms.
	Allocation = ID[allocation]
	// Item is one room of a reservation.
	Item = ID[item]
	// Guest is a person who stays.
	Guest = ID[guest]
	// Intent is the intention to pay for one reservation.
	Intent = ID[intent]
	// Refund is a repayment.
	Refund = ID[refund]
	// SpecialRequest is a guest's request beyond the room.
	SpecialRequest = ID[specialRequest]
	// Modification is one change of a booked reservation.
	Modification = ID[modification]
	// Room is one physical room with its own number.
	Room = ID[room]
	// KeyCredential is one electronic key of a room.
	KeyCredential = ID[keyCredential]
	// FX is a snapshot of an exchange rate.
	FX = ID[fx]
	// Event is one thing that happened.
	Event = ID[event]
	// Request is one call.
	Request = ID[request]
	// Draft is an unfinished booking on a tenant's site.
	Draft = ID[draft]
	// TenantSession is a visitor of a tenant's site.
	TenantSession = ID[tenantSession]
	// GuestSession is a visitor of the consumer site.
	GuestSession = ID[guestSession]
	// Handoff is a guest's transfer from the consumer site to a tenant's site.
	Handoff = ID[handoff]
	// HandoffArrival is a handoff as the tenant's site received it.
	HandoffArrival = ID[handoffArrival]
	// DraftSnapshot is the stored copy of a finished draft.
	DraftSnapshot = ID[draftSnapshot]
	// SearchSession is one search of a visitor of the consumer site, over all its pages.
	SearchSession = ID[searchSession]
	// Wish is a hotel on a visitor's wishlist.
	Wish = ID[wish]
	// PageView is one view of a page of the consumer site.
	PageView = ID[pageView]
	// FunnelEvent is one step of a visitor towards a booking.
	FunnelEvent = ID[funnelEvent]
)

type (
	tenant         struct{}
	property       struct{}
	roomType       struct{}
	ratePlan       struct{}
	quote          struct{}
	reservation    struct{}
	hold           struct{}
	allocation     struct{}
	item           struct{}
	guest          struct{}
	intent         struct{}
	refund         struct{}
	specialRequest struct{}
	modification   struct{}
	room           struct{}
	keyCredential  struct{}
	fx             struct{}
	event          struct{}
	request        struct{}
	draft          struct{}
	tenantSession  struct{}
	guestSession   struct{}
	handoff        struct{}
	handoffArrival struct{}
	draftSnapshot  struct{}
	searchSession  struct{}
	wish           struct{}
	pageView       struct{}
	funnelEvent    struct{}
)

func (tenant) Prefix() string         { return "tnt" }
func (property) Prefix() string       { return "ppt" }
func (roomType) Prefix() string       { return "rmt" }
func (ratePlan) Prefix() string       { return "rate" }
func (quote) Prefix() string          { return "qte" }
func (reservation) Prefix() string    { return "rsv" }
func (hold) Prefix() string           { return "hld" }
func (allocation) Prefix() string     { return "inv" }
func (item) Prefix() string           { return "rit" }
func (guest) Prefix() string          { return "gst" }
func (intent) Prefix() string         { return "pyi" }
func (refund) Prefix() string         { return "rfd" }
func (specialRequest) Prefix() string { return "spr" }
func (modification) Prefix() string   { return "mod" }
func (room) Prefix() string           { return "rmu" }
func (keyCredential) Prefix() string  { return "key" }
func (fx) Prefix() string             { return "fxs" }
func (event) Prefix() string          { return "evt" }
func (request) Prefix() string        { return "req" }
func (draft) Prefix() string          { return "bdr" }
func (tenantSession) Prefix() string  { return "tnt_session" }
func (guestSession) Prefix() string   { return "gms" }
func (handoff) Prefix() string        { return "bhd" }
func (handoffArrival) Prefix() string { return "bha" }
func (draftSnapshot) Prefix() string  { return "bds" }
func (searchSession) Prefix() string  { return "srs" }
func (wish) Prefix() string           { return "wsh" }
func (pageView) Prefix() string       { return "mpv" }
func (funnelEvent) Prefix() string    { return "cfe" }
