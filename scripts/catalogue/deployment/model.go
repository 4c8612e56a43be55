package deployment

import (
	"fmt"
	"slices"
	"strings"
)

// ModelFile is the path of the generated model, from the root of the tree.
const ModelFile = "terraform/MODEL.md"

// What terraform/functions.tf and terraform/variables.tf set by default, and Google's limits. A test compares the former with the files.
const (
	pool            = 2   // database_pool
	maxConnections  = 450 // database_max_connections
	reserve         = 30  // database_reserve
	backendServices = 50  // backend_services, the quota of a new project
	serviceAccounts = 100 // quota of a new project
	helperAccounts  = 3   // builder, push and scheduler
	maxRouteRules   = 200 // of one path matcher
)

// usualInstances are the maximum instances of a function by its kind.
var usualInstances = map[string]int{"http": 3, "event": 2, "scheduled": 1}

// A Budget is a limit that all functions of a production deployment share.
type Budget struct {
	Name  string
	Used  int
	Limit int
}

// Budgets returns the budgets of a production deployment, without the stand-ins.
func (d Deployment) Budgets() []Budget {
	connections, called := 0, 0
	accounts := map[string]bool{}
	for _, f := range d.production() {
		accounts[f.Account] = true
		if f.Kind == "http" {
			called++
		}
		if f.Postgres {
			connections += pool * instances(f)
		}
	}
	rules := 0
	for _, r := range d.Routes {
		if !d.Services[d.Functions[r.Function].Service].StandIn {
			rules++
		}
	}
	return []Budget{
		{"database connections, if every instance fills its pool", connections, maxConnections - reserve},
		{"backend services", called, backendServices},
		{"service accounts", len(accounts) + len(d.Jobs) + helperAccounts, serviceAccounts},
		{"route rules of our own hosts, one for each route and one for each path", 2 * rules, maxRouteRules},
	}
}

// Overdrawn returns an error that names each budget that the functions exceed.
func (d Deployment) Overdrawn() error {
	var exceeded []string
	for _, b := range d.Budgets() {
		if b.Used > b.Limit {
			exceeded = append(exceeded, fmt.Sprintf("%s: %d of %d", b.Name, b.Used, b.Limit))
		}
	}
	if len(exceeded) == 0 {
		return nil
	}
	return fmt.Errorf("deployment: the functions overdraw a budget: %s", strings.Join(exceeded, "; "))
}

func (d Deployment) production() (functions []Function) {
	for _, f := range d.Functions {
		if !d.Services[f.Service].StandIn {
			functions = append(functions, f)
		}
	}
	return functions
}

func instances(f Function) int {
	if f.MaxInstances > 0 {
		return f.MaxInstances
	}
	return usualInstances[f.Kind]
}

// Assumptions about one booking and about prices, in US dollars a month. The prices are estimates from list prices for me-central1, ± 30 %.
const (
	looksPerBooking  = 50
	callsPerLook     = 10
	rowsPerBooking   = 60   // written in SQL
	eventsPerBooking = 20   // rows of outboxes, kept for 7 days
	keptPerBooking   = 15.0 // KiB that stay in SQL
	monthsKept       = 12
	peak             = 10 // the busiest second, in average seconds
	secondsPerMonth  = 30 * 86400
	ticksPerMonth    = 43200 // of a schedule of one minute

	seedWrites = 200        // writes a second from which the seeds ask for a larger database
	seedDisk   = 100.0      // GB from which they do
	seedOutbox = 50_000_000 // outbox rows from which they ask for partitions

	kib = 1.0 / (1 << 20) // in GiB
)

// A load is what a number of bookings a month causes.
type load struct {
	bookings float64
	calls    float64
	ticks    float64
}

func (d Deployment) load(bookings float64) load {
	ticks := 0.0
	for _, f := range d.production() {
		if f.Schedule == "* * * * *" {
			ticks += ticksPerMonth
		}
	}
	return load{bookings, bookings * looksPerBooking * callsPerLook, ticks}
}

func (l load) writes() float64 { return l.bookings * rowsPerBooking / secondsPerMonth * peak }
func (l load) disk() float64   { return l.bookings * keptPerBooking * monthsKept * kib }
func (l load) outbox() float64 { return l.bookings * eventsPerBooking * 7 / 30 }

// A cost is one line of the table.
type cost struct {
	what string
	of   func(load) float64
}

var costs = []cost{
	{"Cloud SQL with a standby: 2 vCPU 250, each doubling for 200 writes a second 200 more", func(l load) float64 {
		sum := 250.0
		for capacity := float64(seedWrites); l.writes() > capacity; capacity *= 2 {
			sum += 200
		}
		return sum + max(0, l.disk()-10)*0.4
	}},
	{"load balancer and Cloud Armor: 26, 0.75 for a million calls, 12 KiB a call at 0.085 per GiB", func(l load) float64 { return 26 + l.calls/1e6*0.75 + l.calls*12*kib*0.085 }},
	{"functions: 0.40 for a million calls and ticks, 20 ms of a vCPU each at 0.000024 a second", func(l load) float64 { return (l.calls + l.ticks) * (0.40/1e6 + 0.02*0.000024) }},
	{"Firestore: 20 reads and 4 writes a look at 0.06 and 0.18 for 100,000", func(l load) float64 { return l.bookings * looksPerBooking * (20*0.06 + 4*0.18) / 1e5 }},
	{"Pub/Sub, Scheduler, Secret Manager, registry, builds: 5, 55 for a million bookings", func(l load) float64 { return 5 + l.bookings/1e6*55 }},
	{"logs and alerts: 8, 1 KiB a call at 0.50 per GiB above 50 GiB", func(l load) float64 { return 8 + max(0, l.calls*kib-50)*0.5 }},
}

// Model returns the model of costs, connections, duration and limits as Markdown. The text is the same for the same catalogue.
func (d Deployment) Model() []byte {
	var b strings.Builder
	b.WriteString("# Costs and limits of a production deployment\n\n`go run ./scripts/catalogue` writes this file. It is a model from the catalogue and the assumptions below, not a measurement. All costs are in US dollars a month.\n\n")
	d.writeCosts(&b)
	d.writeBudgets(&b)
	d.writeLimits(&b)
	return []byte(b.String())
}

func (d Deployment) writeCosts(b *strings.Builder) {
	loads := []load{d.load(0), d.load(1000), d.load(1e6)}
	fmt.Fprintf(b, "## Costs\n\nOne booking has %d looks of %d calls each, writes %d rows, publishes %d events and leaves %.0f KiB for %d months. The busiest second has %d times the average. Prices are estimates, ± 30 %%.\n\n",
		looksPerBooking, callsPerLook, rowsPerBooking, eventsPerBooking, keptPerBooking, monthsKept, peak)
	b.WriteString("| | idle | 1,000 bookings | 1,000,000 bookings |\n|---|---:|---:|---:|\n")
	sums := make([]float64, len(loads))
	for _, c := range costs {
		fmt.Fprintf(b, "| %s |", c.what)
		for i, l := range loads {
			sums[i] += c.of(l)
			fmt.Fprintf(b, " %.0f |", c.of(l))
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(b, "| **sum** | **%.0f** | **%.0f** | **%.0f** |\n\nMemorystore, if chosen, adds about 200, at a million bookings 400.\n\n", sums[0], sums[1], sums[2])
}

func (d Deployment) writeBudgets(b *strings.Builder) {
	b.WriteString("## Budgets\n\nThe command fails if a function overdraws one.\n\n| budget | used | limit |\n|---|---:|---:|\n")
	for _, budget := range d.Budgets() {
		fmt.Fprintf(b, "| %s | %d | %d |\n", budget.Name, budget.Used, budget.Limit)
	}
	connections := d.Budgets()[0]
	fmt.Fprintf(b, "\nDuring a release the instances of the old and the new revisions stand side by side: at most %d connections, of %d. ", 2*connections.Used, maxConnections)
	if 2*connections.Used > maxConnections {
		b.WriteString("That exceeds the limit only if every function is at its maximum of instances in both revisions; release at a quiet hour, or set `database_pool = 1`.")
	} else {
		b.WriteString("That is within the limit.")
	}
	logins := 0
	for _, f := range d.production() {
		if f.Postgres {
			logins++
		}
	}
	builds := (len(d.production()) + 9) / 10
	minutes := 2 + 12 + logins*6/60 + 1 + builds*3 + 3
	fmt.Fprintf(b, "\n\nThe first apply takes about %d minutes: network 2, database 12, %d logins one after the other %d, migrations 1, %d functions built ten at a time %d, load balancer 3. A release takes about %d.\n\n",
		minutes, logins, logins*6/60, len(d.production()), builds*3, 1+builds*3)
}

// writeLimits lists what exceeds its limit as the load grows from 1,000 bookings a month.
func (d Deployment) writeLimits(b *strings.Builder) {
	b.WriteString("## What gives way first\n\nUse of each limit, from 1,000 bookings a month on. The largest number gives way first; above 100 % it has.\n\n| times | bookings | first | use of all limits |\n|---:|---:|---|---|\n")
	for _, times := range []float64{1, 10, 100, 1000} {
		l := d.load(1000 * times)
		uses := []struct {
			name string
			part float64
		}{
			{"writes a second of the database (200)", l.writes() / seedWrites},
			{"disk after a year (100 GB)", l.disk() / seedDisk},
			{"outbox rows (50 million)", l.outbox() / seedOutbox},
			// The busiest function gets three in ten calls, of 100 ms each, in its three instances with 40 calls at once.
			{"instances of the busiest function (3)", 0.3 * l.calls / secondsPerMonth * peak * 0.1 / float64(usualInstances["http"]*40)},
		}
		slices.SortStableFunc(uses, func(a, b struct {
			name string
			part float64
		}) int {
			return int(1e6 * (b.part - a.part))
		})
		var all []string
		for _, u := range uses {
			all = append(all, fmt.Sprintf("%s %.1f %%", u.name, 100*u.part))
		}
		fmt.Fprintf(b, "| %.0f | %.0f | %s | %s |\n", times, l.bookings, uses[0].name, strings.Join(all, ", "))
	}
	b.WriteString("\nThe answers: a larger `database_tier` with `database_max_connections`; `scaling` for the function; partitions of the outbox.\n")
}
