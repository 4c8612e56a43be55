package deployment

import (
	"fmt"
	"math"
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
	maxIdleCost     = 420 // dollars a month
	maxBookingsCost = 500 // cents for 1,000 bookings
)

// defaultInstances are the maximum instances of a function by its kind.
var defaultInstances = map[string]int{"http": 3, "event": 2, "scheduled": 1}

// A Budget is a limit that all functions of a production deployment share.
type Budget struct {
	Name  string
	Used  int
	Limit int
}

// Budgets returns the budgets of a production deployment, without the stand-ins.
func (d Deployment) Budgets() []Budget {
	called := 0
	accounts := map[string]bool{}
	for _, f := range d.production().functions {
		accounts[f.Account] = true
		if f.Kind == "http" {
			called++
		}
	}
	rules := 0
	for _, r := range d.Routes {
		if !d.Services[d.Functions[r.Function].Service].StandIn {
			rules++
		}
	}
	idle, bookings := d.production().sum(0), d.production().sum(1000)
	return []Budget{
		{"dollars a month without a guest", int(math.Ceil(idle)), maxIdleCost},
		{"cents more for 1,000 bookings", int(math.Ceil(100 * (bookings - idle))), maxBookingsCost},
		{"database connections, if every instance fills its pool", d.connections(), maxConnections - reserve},
		{"backend services", called, backendServices},
		{"service accounts", len(accounts) + len(d.Jobs) + helperAccounts, serviceAccounts},
		{"route rules of our own hosts, one for each route and one for each path", 2 * rules, maxRouteRules},
	}
}

// connections returns the database connections of all functions, if every instance fills its pool.
func (d Deployment) connections() (sum int) {
	for _, f := range d.production().functions {
		if f.Postgres {
			sum += pool * instances(f)
		}
	}
	return sum
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

func instances(f Function) int {
	if f.MaxInstances > 0 {
		return f.MaxInstances
	}
	return defaultInstances[f.Kind]
}

// Model returns the model of costs, connections, duration and limits as Markdown. The text is the same for the same catalogue.
func (d Deployment) Model() []byte {
	var b strings.Builder
	b.WriteString("# Costs and limits of a deployment\n\n`go run ./scripts/catalogue` writes this file. It is a model from the catalogue and the assumptions below, not a measurement. All costs are in US dollars a month.\n\n")
	d.writeCosts(&b)
	writePrices(&b)
	d.writeBudgets(&b)
	d.writeLimits(&b)
	return []byte(b.String())
}

func (d Deployment) writeBudgets(b *strings.Builder) {
	b.WriteString("## Budgets\n\nThe command fails if a function overdraws one.\n\n| budget | used | limit |\n|---|---:|---:|\n")
	for _, budget := range d.Budgets() {
		fmt.Fprintf(b, "| %s | %d | %d |\n", budget.Name, budget.Used, budget.Limit)
	}
	connections := 2 * d.connections()
	fmt.Fprintf(b, "\nDuring a release the instances of the old and the new revisions stand side by side: at most %d connections, of %d. ", connections, maxConnections)
	if connections > maxConnections {
		b.WriteString("That exceeds the limit only if every function is at its maximum of instances in both revisions; release at a quiet hour, or set `database_pool = 1`.")
	} else {
		b.WriteString("That is within the limit.")
	}
	logins := 0
	for _, f := range d.production().functions {
		if f.Postgres {
			logins++
		}
	}
	builds := (len(d.production().functions) + 9) / 10
	minutes := 2 + 12 + logins*6/60 + 1 + builds*3 + 3
	fmt.Fprintf(b, "\n\nThe first apply takes about %d minutes: network 2, database 12, %d logins one after the other %d, migrations 1, %d functions built ten at a time %d, load balancer 3. A release takes about %d.\n\n",
		minutes, logins, logins*6/60, len(d.production().functions), builds*3, 1+builds*3)
}

// writeLimits lists what exceeds its limit as the load grows from 1,000 bookings a month.
func (d Deployment) writeLimits(b *strings.Builder) {
	b.WriteString("## What gives way first\n\nUse of each limit, from 1,000 bookings a month on. The largest number gives way first; above 100 % it has.\n\n| times | bookings | first | use of all limits |\n|---:|---:|---|---|\n")
	for _, times := range []float64{1, 10, 100, 1000} {
		l := d.production().load(1000 * times)
		uses := []struct {
			name string
			part float64
		}{
			{"writes a second of the database (200)", l.writes() / seedWrites},
			{"disk after a year (100 GB)", l.disk() / seedDisk},
			{"outbox rows (50 million)", l.outbox() / seedOutbox},
			// The busiest function gets three in ten calls, of 100 ms each, in its three instances with 40 calls at once.
			{"instances of the busiest function (3)", 0.3 * l.calls / secondsPerMonth * peak * 0.1 / float64(defaultInstances["http"]*40)},
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
