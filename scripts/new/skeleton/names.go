package skeleton

import (
	"fmt"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// names matches names of packages that are one lower-case word.
var names = regexp.MustCompile(`^[a-z][a-z0-9]{1,29}$`)

// vague are names that say nothing; test/architecture rejects them.
var vague = []string{"base", "common", "core", "helper", "helpers", "internal", "lib", "main", "misc", "model", "models", "types", "util", "utils"}

// taken are names of packages that every function imports.
var taken = []string{"context", "env", "event", "fn", "fntest", "id", "inbox", "pgtest", "pgx", "postgres", "testing", "time"}

// checkName returns an error for a name that cannot be a package of a function.
func checkName(name string) error {
	switch {
	case !names.MatchString(name):
		return fmt.Errorf("%q is not a name like expect: 2 to 30 lower-case letters and digits, a letter first", name)
	case token.IsKeyword(name) || types.Universe.Lookup(name) != nil:
		return fmt.Errorf("%q is a word of Go; choose another name", name)
	case slices.Contains(vague, name) || strings.HasSuffix(name, "test"):
		return fmt.Errorf("%q says nothing about the function; an HTTP function has a verb as its name, an event function a participle", name)
	case slices.Contains(taken, name) || slices.Contains(Services, name):
		return fmt.Errorf("%q is the name of a package that the function imports; choose another name", name)
	}
	return nil
}

// cron matches the five fields of a schedule.
var cron = regexp.MustCompile(`^[0-9*,/-]+( [0-9*,/-]+){3} [0-9A-Z*,/-]+$`)

// schedule returns the schedule of an interval, such as 5m or 6h. It accepts a schedule as it is.
func schedule(every string) (string, error) {
	if cron.MatchString(every) {
		return every, nil
	}
	interval, err := time.ParseDuration(every)
	if err != nil {
		return "", fmt.Errorf("%q is neither an interval like 5m nor a schedule like */5 * * * *", every)
	}
	minutes, hours := int(interval/time.Minute), int(interval/time.Hour)
	switch {
	case interval == time.Minute:
		return "* * * * *", nil
	case interval > time.Minute && interval < time.Hour && interval%time.Minute == 0 && 60%minutes == 0:
		return "*/" + strconv.Itoa(minutes) + " * * * *", nil
	case interval == time.Hour:
		return "0 * * * *", nil
	case interval > time.Hour && interval < 24*time.Hour && interval%time.Hour == 0 && 24%hours == 0:
		return "0 */" + strconv.Itoa(hours) + " * * *", nil
	case interval == 24*time.Hour:
		return "0 0 * * *", nil
	}
	return "", fmt.Errorf("the scheduler cannot run every %s: an interval is a minute at least, and divides an hour or a day", every)
}
