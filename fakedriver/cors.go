package fakedriver

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// corsOriginAllowed describes valid origins.
const corsOriginAllowed = "* or a scheme and a host, with a port if it is not the scheme's own, such as http://localhost:3000 " +
	"or https://*.example.com, with at most one *"

// corsOrigin matches origins as browsers send them: without path, and in lower case.
var corsOrigin = regexp.MustCompile(`^[a-z*][a-z0-9+.*-]*://([a-z0-9.*_-]+|\[[0-9a-f:]+\])(:([0-9]{1,5}|\*))?$`)

// ValidateCORSOrigins returns an error of kind [ErrInvalid] if a text is not an origin of pages, as
// browsers send it, or a duplicate. An origin may contain one *, which matches any number of any
// characters; * alone matches all origins.
func ValidateCORSOrigins(origins []string) error {
	var failed []error
	for i, text := range origins {
		if text != "*" && (strings.Count(text, "*") > 1 || !corsOrigin.MatchString(text)) {
			failed = append(failed, fmt.Errorf("CORS origin %.100q %w: it must be %s", text, ErrInvalid, corsOriginAllowed))
		}
		if slices.Contains(origins[:i], text) {
			failed = append(failed, fmt.Errorf("CORS origin %.100q %w: it is given twice", text, ErrInvalid))
		}
	}
	return errors.Join(failed...)
}
