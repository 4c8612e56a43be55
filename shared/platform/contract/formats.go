package contract

import "time"

// formatNamed is the check of a format, or nil where there is none of that name.
func formatNamed(name string) func([]byte) bool {
	switch name {
	case "date":
		return isDate
	case "date-time":
		return isDateTime
	}
	return nil
}

// isDate reports whether the text is a full-date of RFC 3339, of a day that there is.
func isDate(s []byte) bool {
	if len(s) != len(time.DateOnly) || s[4] != '-' || s[7] != '-' {
		return false
	}
	century, year, month, day := two(s), two(s[2:]), two(s[5:]), two(s[8:])
	return century >= 0 && year >= 0 && month >= 1 && month <= 12 && day >= 1 && day <= days(century*100+year, month)
}

// days is how many a month has.
func days(year, month int) int {
	return time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

// isDateTime reports whether the text is a date-time of RFC 3339. A leap second is one only at the end of a day in UTC.
func isDateTime(s []byte) bool {
	const date, seconds = len(time.DateOnly), len("T15:04:05")
	if len(s) <= date+seconds || !isDate(s[:date]) || s[date] != 'T' && s[date] != 't' {
		return false
	}
	clock, zone := s[date+1:date+seconds], afterFraction(s[date+seconds:])
	hour, minute, second := two(clock), two(clock[3:]), two(clock[6:])
	if clock[2] != ':' || clock[5] != ':' || !within(hour, 23) || !within(minute, 59) || !within(second, 60) {
		return false
	}
	east, ok := offset(zone)
	const day = 24 * 60
	return ok && (second < 60 || (hour*60+minute-east+day)%day == day-1)
}

// afterFraction is what follows the fraction of a second; nothing, which is no offset, where the fraction has no digits.
func afterFraction(s []byte) []byte {
	if len(s) == 0 || s[0] != '.' {
		return s
	}
	digits := 1
	for digits < len(s) && s[digits] >= '0' && s[digits] <= '9' {
		digits++
	}
	if digits == 1 {
		return nil
	}
	return s[digits:]
}

// offset reads Z or ±hh:mm, in minutes east of UTC.
func offset(s []byte) (minutes int, ok bool) {
	if len(s) == 1 {
		return 0, s[0] == 'Z' || s[0] == 'z'
	}
	if len(s) != len("+00:00") || s[3] != ':' {
		return 0, false
	}
	hour, minute := two(s[1:]), two(s[4:])
	minutes = hour*60 + minute
	if s[0] == '-' {
		minutes = -minutes
	}
	return minutes, (s[0] == '+' || s[0] == '-') && within(hour, 23) && within(minute, 59)
}

// two reads two digits, or returns -1.
func two(s []byte) int {
	tens, ones := s[0]-'0', s[1]-'0'
	if tens > 9 || ones > 9 {
		return -1
	}
	return int(tens)*10 + int(ones)
}

func within(n, most int) bool { return n >= 0 && n <= most }
