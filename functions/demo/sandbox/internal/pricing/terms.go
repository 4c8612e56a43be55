package pricing

import "fmt"

const hoursPerDay = 24

// Terms returns the policy as a sentence for guests. It derives from the numbers, so that it always agrees with the deadline that the
// reservation service computes: the hours count back from the midnight with which the day of arrival begins at the property.
func (p Policy) Terms() string {
	return "Free of charge until " + p.freeUntil() + ", then " + p.penalty() + "."
}

func (p Policy) freeUntil() string {
	const midnight = "midnight at the start of the day"
	switch days := p.FreeUntilHoursBefore / hoursPerDay; {
	case p.FreeUntilHoursBefore%hoursPerDay != 0:
		return fmt.Sprintf("%s before %s of arrival", count(p.FreeUntilHoursBefore, "hour"), midnight)
	case days == 0:
		return midnight + " of arrival"
	case days == 1:
		return midnight + " before arrival"
	default:
		return fmt.Sprintf("%s %d days before arrival", midnight, days)
	}
}

func (p Policy) penalty() string {
	switch {
	case p.PenaltyNights > 0:
		return "the price of " + count(p.PenaltyNights, "night")
	case p.PenaltyPercent == whole:
		return "the whole price"
	case p.PenaltyPercent == whole/2:
		return "half the price"
	}
	return fmt.Sprintf("%d%% of the price", p.PenaltyPercent)
}

// count returns a number with its unit, in the plural unless it is one.
func count(n int, unit string) string {
	if n == 1 {
		return "1 " + unit
	}
	return fmt.Sprintf("%d %ss", n, unit)
}
