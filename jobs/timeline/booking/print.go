package booking

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// Lines returns one line for each moment: number, cause, time, time since the previous moment, service, source,
// description.
func (s Timeline) Lines() []string {
	lines := make([]string, 0, len(s.Moments))
	for i, m := range s.Moments {
		since := "        "
		if i > 0 {
			since = fmt.Sprintf("%+8.3f", m.At.Sub(s.Moments[i-1].At).Seconds())
		}
		cause := "      "
		if m.Cause >= 0 {
			cause = fmt.Sprintf("← %-4d", m.Cause+1)
		}
		lines = append(lines, fmt.Sprintf("%4d %s %s %s  %-13s %-9s  %s", i+1, cause, m.At.UTC().Format("15:04:05.000"), since, m.Service, m.Kind, m.What))
	}
	return lines
}

// Write writes at most that number of lines, the last ones; 0 means all.
func (s Timeline) Write(w io.Writer, limit int) error {
	lines := s.Lines()
	var head strings.Builder
	for _, line := range s.State {
		fmt.Fprintln(&head, line)
	}
	if len(s.About) > 0 {
		fmt.Fprintf(&head, "About %s\n", strings.Join(s.About, " "))
	}
	if len(lines) > 0 {
		fmt.Fprintf(&head, "Begins %s\n", s.Moments[0].At.UTC().Format(time.DateTime+" UTC"))
	}
	if left := len(lines) - limit; limit > 0 && left > 0 {
		fmt.Fprintf(&head, "%d earlier moments are left out\n", left)
		lines = lines[left:]
	}
	_, err := fmt.Fprintf(w, "%s%s\n", head.String(), strings.Join(lines, "\n"))
	return err
}
