package connection

import (
	"strings"
	"unicode"

	"github.com/cosi-emu/cosi-emu/proto/redact"
)

// maxMessageLength, in bytes, keeps a driver's message short enough for an Event together with
// COSI's own text.
const maxMessageLength = 700

const ellipsis = "..."

// sanitize makes a driver's message safe for conditions and Events: without megabytes, control
// characters or signed URLs.
func sanitize(message string) string {
	message = strings.ToValidUTF8(message, "\uFFFD")
	message = redact.Text(message)
	message = strings.Join(strings.FieldsFunc(message, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	if len(message) > maxMessageLength {
		message = strings.ToValidUTF8(message[:maxMessageLength-len(ellipsis)], "") + ellipsis
	}
	if message == "" {
		return "no message"
	}
	return message
}
