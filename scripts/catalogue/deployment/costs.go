package deployment

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Assumptions about one booking.
const (
	looksPerBooking      = 50
	callsPerLook         = 10
	rowsPerBooking       = 60   // written in SQL
	eventsPerBooking     = 20   // rows of outboxes, kept for 7 days
	deliveriesPerBooking = 5    // of events to our functions
	keptPerBooking       = 15.0 // KiB that stay in SQL
	monthsKept           = 12
	kibPerCall           = 12.0 // sent to the browser
	busiest              = 0.3  // share of the calls that go to the busiest function
	peak                 = 10   // the busiest second, in average seconds

	secondsPerMonth = 30 * 86400
	hoursPerMonth   = 730

	seedWrites = 200        // writes a second from which the data model of tenant booking asks for a larger database
	seedDisk   = 100.0      // GB from which they do
	seedOutbox = 50_000_000 // outbox rows from which they ask for partitions

	kib = 1.0 / (1 << 20) // in GiB
)

// A price is a list price of Google in US dollars.
type price struct {
	of      string
	dollars float64
}

// The prices of November 2026 for me-central1, or of the tier that this region belongs to.
var (
	sqlProcessor   = price{"Cloud SQL, a vCPU for an hour", 0.0496}
	sqlMemory      = price{"Cloud SQL, a GiB of memory for an hour", 0.0084}
	sqlDisk        = price{"Cloud SQL, a GiB of disk for a month", 0.20}
	runProcessor   = price{"Cloud Run, a vCPU-second of a call, billed by 100 ms", 0.0000336}
	runMemory      = price{"Cloud Run, a GiB-second of a call", 0.0000035}
	runWarm        = price{"Cloud Run, a second of an idle instance kept warm, with 1 vCPU and 256 MiB", 0.0000044}
	runJob         = price{"Cloud Run, a vCPU-second of a job, billed by the minute", 0.0000252}
	runMillion     = price{"Cloud Run, a million calls", 0.40}
	forwarding     = price{"load balancer, its rules for an hour", 0.025}
	policy         = price{"Cloud Armor, a policy for a month", 5}
	policyRule     = price{"Cloud Armor, a rule for a month", 1}
	armorMillion   = price{"Cloud Armor, a million calls", 0.75}
	traffic        = price{"a GiB sent to browsers", 0.085}
	documentReads  = price{"Firestore, 100,000 documents read", 0.06}
	documentWrites = price{"Firestore, 100,000 documents written", 0.18}
	pubsubTiB      = price{"Pub/Sub, a TiB published or delivered", 40}
	schedule       = price{"Cloud Scheduler, a schedule for a month", 0.10}
	condition      = price{"Cloud Monitoring, a condition of an alert for a month", 0.10}
	logGiB         = price{"Cloud Logging, a GiB above 50", 0.50}
	storage        = price{"secrets, archives and images for a month", 4}
)

var prices = []price{sqlProcessor, sqlMemory, sqlDisk, runProcessor, runMemory, runWarm, runJob, runMillion, forwarding, policy, policyRule,
	armorMillion, traffic, documentReads, documentWrites, pubsubTiB, schedule, condition, logGiB, storage}

// What the configuration creates.
const (
	Policies    = 2
	PolicyRules = 6
	Warm        = 8  // instances, as production.tfvars.example sets them
	conditions  = 78 // of alerts, as a plan counts them
)

// A setup is what is deployed.
type setup struct {
	functions  []Function
	jobs       map[string]Job
	processors float64
	memory     float64 // GiB
	databases  float64 // with the standby
	warm       float64 // instances
}

// production is a deployment without the stand-ins, with the variables of production.tfvars.example.
func (d Deployment) production() setup {
	s := setup{jobs: d.Jobs, processors: 2, memory: 8, databases: 2, warm: Warm}
	for _, f := range d.Functions {
		if !d.Services[f.Service].StandIn {
			s.functions = append(s.functions, f)
		}
	}
	return s
}

// demonstration is a deployment with the stand-ins, with the variables of demo.tfvars.example.
func (d Deployment) demonstration() setup {
	return setup{functions: slices.Collect(maps.Values(d.Functions)), jobs: d.Jobs, processors: 1, memory: 3.75, databases: 1}
}

// A load is what a number of bookings a month causes.
type load struct {
	bookings float64
	calls    float64
}

func (setup) load(bookings float64) load {
	return load{bookings, bookings * looksPerBooking * callsPerLook}
}

func (l load) writes() float64 { return l.bookings * rowsPerBooking / secondsPerMonth * peak }
func (l load) disk() float64   { return l.bookings * keptPerBooking * monthsKept * kib }
func (l load) outbox() float64 { return l.bookings * eventsPerBooking * 7 / 30 }

// A cost is one line of the table.
type cost struct {
	what string
	of   func(setup, load) float64
}

var costs = []cost{
	{"Cloud SQL, doubled for each doubling of 200 writes a second", setup.database},
	{"load balancer and Cloud Armor", func(_ setup, l load) float64 {
		return forwarding.dollars*hoursPerMonth + Policies*policy.dollars + PolicyRules*policyRule.dollars + l.calls/1e6*armorMillion.dollars
	}},
	{"traffic to browsers", func(_ setup, l load) float64 { return l.calls * kibPerCall * kib * traffic.dollars }},
	{"functions", setup.calls},
	{"functions: instances kept warm", func(s setup, _ load) float64 { return s.warm * runWarm.dollars * secondsPerMonth }},
	{"jobs", func(s setup, _ load) float64 { return s.runs() * 60 * runJob.dollars }},
	{"Firestore: 20 documents read and 4 written for a look", func(_ setup, l load) float64 {
		return l.bookings * looksPerBooking * (20*documentReads.dollars + 4*documentWrites.dollars) / 1e5
	}},
	{"Pub/Sub: 2 KiB for an event, published and delivered", func(_ setup, l load) float64 {
		return l.bookings * (eventsPerBooking + deliveriesPerBooking) * 2 * kib / 1024 * pubsubTiB.dollars
	}},
	{"schedules, secrets, archives, images", func(s setup, _ load) float64 { return s.schedules()*schedule.dollars + storage.dollars }},
	{"alerts, and 1 KiB of logs for a call", func(_ setup, l load) float64 {
		return conditions*condition.dollars + max(0, l.calls*kib-50)*logGiB.dollars
	}},
}

func (s setup) database(l load) float64 {
	size := 1.0
	for l.writes() > seedWrites*size {
		size *= 2
	}
	machine := size * (s.processors*sqlProcessor.dollars + s.memory*sqlMemory.dollars) * hoursPerMonth
	return s.databases * (machine + max(10, l.disk())*sqlDisk.dollars)
}

// calls bills the instances while they have calls. Cloud Run bills an instance by 100 ms; calls at the same time in one instance share
// them, so a function with n calls of 100 ms a second pays for the part 1 - exp(-n/10) of the time. Ticks and deliveries share nothing.
func (s setup) calls(l load) float64 {
	browsers, single := 0.0, l.bookings*deliveriesPerBooking
	for _, f := range s.functions {
		if f.Kind == "http" {
			browsers++
		}
		single += ticks(f.Schedule)
	}
	shared := func(calls float64) float64 { return secondsPerMonth * -math.Expm1(-calls/secondsPerMonth/10) }
	seconds := shared(busiest*l.calls) + (browsers-1)*shared((1-busiest)*l.calls/(browsers-1)) + single/10
	return seconds*(runProcessor.dollars+runMemory.dollars/4) + (l.calls+single)/1e6*runMillion.dollars
}

// ticks returns the ticks a month of a cron line: "" has none, "*/n" one in n minutes. Any other line counts as one a minute, the most.
func ticks(cron string) float64 {
	minutes, _, _ := strings.Cut(cron, " ")
	if minutes == "" {
		return 0
	}
	step, _ := strings.CutPrefix(minutes, "*/")
	every, err := strconv.Atoi(step)
	if err != nil || step == minutes {
		every = 1
	}
	return secondsPerMonth / 60 / float64(max(1, every))
}

// runsPerMonth has the cadences of jobs, as terraform/schedules.tf sets them.
var runsPerMonth = map[string]float64{"frequent": 8640, "hourly": 720, "daily": 30, "weekly": 4}

func (s setup) runs() (runs float64) {
	for _, j := range s.jobs {
		for _, c := range j.Cadences {
			runs += runsPerMonth[c]
		}
	}
	return runs
}

func (s setup) schedules() (n float64) {
	for _, f := range s.functions {
		if f.Schedule != "" {
			n++
		}
	}
	for _, j := range s.jobs {
		n += float64(len(j.Cadences))
	}
	return n
}

// sum returns the costs of a month in dollars.
func (s setup) sum(bookings float64) (sum float64) {
	for _, c := range costs {
		sum += c.of(s, s.load(bookings))
	}
	return sum
}

func (d Deployment) writeCosts(b *strings.Builder) {
	production, demonstration := d.production(), d.demonstration()
	columns := []struct {
		name string
		setup
		bookings float64
	}{
		{"demonstration, idle", demonstration, 0}, {"production, idle", production, 0},
		{"1,000 bookings", production, 1000}, {"1,000,000 bookings", production, 1e6},
	}
	fmt.Fprintf(b, "## Costs\n\nOne booking has %d looks of %d calls each, writes %d rows, publishes %d events and leaves %.0f KiB for %d months. The busiest second has %d times the average. "+
		"A call occupies an instance for 100 ms, the least that Cloud Run bills. The columns have the variables of `demo.tfvars.example` and `production.tfvars.example`.\n\n|",
		looksPerBooking, callsPerLook, rowsPerBooking, eventsPerBooking, keptPerBooking, monthsKept, peak)
	for _, c := range columns {
		fmt.Fprintf(b, " | %s", c.name)
	}
	fmt.Fprintf(b, " |\n|---|%s\n", strings.Repeat("---:|", len(columns)))
	row := func(what, form string, of func(setup, float64) float64) {
		fmt.Fprintf(b, "| %s |", what)
		for _, c := range columns {
			fmt.Fprintf(b, " "+form+" |", of(c.setup, c.bookings))
		}
		b.WriteString("\n")
	}
	for _, c := range costs {
		row(c.what, "%.0f", func(s setup, bookings float64) float64 { return c.of(s, s.load(bookings)) })
	}
	row("**sum**", "**%.0f**", setup.sum)
	alone, cold := production, production
	alone.databases, cold.warm = 1, 0
	fmt.Fprintf(b, "\nOf the idle costs of production, `database_availability=ZONAL` saves %.0f, no instances kept warm (an empty `scaling`) %.0f; a schedule of a minute costs %.2f. "+
		"Bookings cost by their looks: calls, traffic and documents. Memorystore, if chosen, adds about 200, at a million bookings 400.\n\n",
		production.sum(0)-alone.sum(0), production.sum(0)-cold.sum(0), ticks("*")*(0.1*(runProcessor.dollars+runMemory.dollars/4)+runMillion.dollars/1e6)+schedule.dollars)
}

func writePrices(b *strings.Builder) {
	b.WriteString("## Prices\n\nList prices of November 2026 for me-central1 or its tier, to be checked before a decision depends on one.\n\n| | US dollars |\n|---|---:|\n")
	for _, p := range prices {
		fmt.Fprintf(b, "| %s | %s |\n", p.of, strconv.FormatFloat(p.dollars, 'f', -1, 64))
	}
	b.WriteString("\n")
}
