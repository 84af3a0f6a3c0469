package gcs

import (
	"net/http"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs/failure"
)

// honoured are Google's headers that are supported, or that do not change the
// operation.
var honoured = []string{
	"X-Goog-Api-Client", "X-Goog-Request-Params", "X-Goog-User-Project", "X-Goog-Gcs-Idempotency-Token", "X-Goog-Request-Reason",
	"X-Goog-Hash", "X-Goog-If-Generation-Match", "X-Goog-If-Generation-Not-Match",
	"X-Goog-If-Metageneration-Match", "X-Goog-If-Metageneration-Not-Match",
}

// maxHeaderBytes is Google's maximum size of the URL and the headers of a request.
const maxHeaderBytes = 16 << 10

func checkSize(r *http.Request) error {
	size := len(r.RequestURI)
	for name, values := range r.Header {
		for _, value := range values {
			size += len(name) + len(value)
		}
	}
	if size > maxHeaderBytes {
		return failure.ErrURLTooLarge
	}
	return nil
}

// checkHeaders rejects unsupported headers that would change the operation, such as an
// encryption key, or a condition.
func checkHeaders(header http.Header, op operation) error {
	for name := range header {
		unknown := strings.HasPrefix(name, "X-Goog-") && !slices.Contains(honoured, name)
		if unknown || name == overrideHeader || isCondition(name) && !op.takesCondition(name) {
			return failure.ErrNotImplemented.With("cosi-emu does not implement the header " + name + " here")
		}
	}
	return nil
}

func isCondition(name string) bool {
	switch name {
	case "If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since":
		return true
	default:
		return false
	}
}

// takesCondition reports whether the operation compares a condition of HTTP.
func (o operation) takesCondition(name string) bool {
	switch o.name {
	case "objects.get media":
		return true
	case "objects.get":
		return name == "If-Match" || name == "If-None-Match"
	default:
		return false
	}
}
