package s3exchange

import (
	"net/http"
	"strings"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

// ReadConditions reads the conditional headers, of which the table has accepted only those that the
// operation supports.
func ReadConditions(header http.Header, prefix string) objects.Conditions {
	list := func(name string) string { return strings.Join(header.Values(prefix+name), ",") }
	c := objects.Conditions{IfMatch: list("If-Match"), IfNoneMatch: list("If-None-Match")}
	c.IfModifiedSince = readTime(header, prefix+"If-Modified-Since")
	c.IfUnmodifiedSince = readTime(header, prefix+"If-Unmodified-Since")
	return c
}

// readTime ignores a malformed time, as RFC 9110, section 13.1.3, requires.
func readTime(header http.Header, name string) time.Time {
	text := header.Get(name)
	if text == "" {
		return time.Time{} // most requests have none, and failing takes time
	}
	at, _ := http.ParseTime(text) // zero if malformed
	return at
}
