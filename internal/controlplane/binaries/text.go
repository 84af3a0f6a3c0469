package binaries

import (
	"fmt"
	"time"
)

// String renders the update as a line for people, without the time.
func (u Update) String() string {
	text := u.Message
	if u.Item != "" {
		text = u.Item + ": " + text
	}
	if u.Phase != Note {
		text = string(u.Phase) + " " + text
	}
	if u.Left > 0 {
		text += fmt.Sprintf(", at most %s left", u.Left.Round(time.Second))
	}
	if u.Total > 1 {
		text += fmt.Sprintf(" (%d of %d)", u.N, u.Total)
	}
	return text
}
