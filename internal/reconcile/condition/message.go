package condition

import (
	"regexp"
	"strings"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// maxMessage is the maximum length of a message, in bytes. The API server allows 32 KiB, but a
// driver's error that is copied from object to object should not fill the store, and an Event has
// room for 1 KiB.
const maxMessage = 1024

// Clip shortens a message to the maximum length.
func Clip(message string) string {
	if len(message) <= maxMessage {
		return message
	}
	const ellipsis = "..."
	return strings.ToValidUTF8(message[:maxMessage-len(ellipsis)], "") + ellipsis
}

var wordWithDigit = regexp.MustCompile(`\S*\d\S*`)

// IsSameMessage reports whether two messages with the same reason are equivalent. For messages of
// drivers it ignores words with digits: drivers put request IDs, times and counters into their
// errors, and a driver that keeps failing would otherwise cause a write and an Event at every
// attempt. In COSI's own messages such a word is the name of an object, so it is compared.
func IsSameMessage(reason, before, after string) bool {
	if before == after || !isFromDriver(reason) {
		return before == after
	}
	return wordWithDigit.ReplaceAllString(before, "#") == wordWithDigit.ReplaceAllString(after, "#")
}

func isFromDriver(reason string) bool {
	switch reason {
	case v1alpha2.ReasonDriverError, v1alpha2.ReasonDriverRefused, v1alpha2.ReasonInvalidDriverResponse:
		return true
	default:
		return false
	}
}
