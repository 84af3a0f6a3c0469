package condition

import (
	"regexp"
	"strings"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// maxMessage is the longest message that is kept, in bytes. The API server
// allows 32 KiB, but a driver's error copied from object to object should not
// fill the store, and 1 KiB is what fits into an Event.
const maxMessage = 1024

// Clip shortens a message to what is kept.
func Clip(message string) string {
	if len(message) <= maxMessage {
		return message
	}
	const ellipsis = "..."
	return strings.ToValidUTF8(message[:maxMessage-len(ellipsis)], "") + ellipsis
}

var wordWithDigit = regexp.MustCompile(`\S*\d\S*`)

// sayTheSame reports whether the second of two messages with one reason is no
// news after the first. What drivers say is compared without the words that have
// digits in them: drivers put request IDs, times and counters into their errors,
// and were each of them news, a driver that keeps failing would cause a write
// and an Event at every attempt. In our own messages such a word is the name of
// an object, and another name is news.
func sayTheSame(reason, before, after string) bool {
	if before == after || !fromDriver(reason) {
		return before == after
	}
	return wordWithDigit.ReplaceAllString(before, "#") == wordWithDigit.ReplaceAllString(after, "#")
}

func fromDriver(reason string) bool {
	switch reason {
	case v1alpha2.ReasonDriverError, v1alpha2.ReasonDriverRefused, v1alpha2.ReasonInvalidDriverResponse:
		return true
	default:
		return false
	}
}
