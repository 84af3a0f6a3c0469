package fakedriver

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// CORSOriginAllowed says which origins ValidateCORSOrigin accepts.
const CORSOriginAllowed = "* or a scheme and a host, with a port if it is not the scheme's own, such as http://localhost:3000 " +
	"or https://*.example.com, with at most one *"

// origin is the form in which browsers send origins: without path, and in lower case.
var origin = regexp.MustCompile(`^[a-z*][a-z0-9+.*-]*://([a-z0-9.*_-]+|\[[0-9a-f:]+\])(:([0-9]{1,5}|\*))?$`)

// ValidateCORSOrigin returns an error of kind [ErrInvalid] for a text that no browser sends as
// the origin of a page. The origin * is that of all pages.
func ValidateCORSOrigin(text string) error {
	if text != "*" && (strings.Count(text, "*") > 1 || !origin.MatchString(text)) {
		return fmt.Errorf("CORS origin %.100q %w: it must be %s", text, ErrInvalid, CORSOriginAllowed)
	}
	return nil
}

// ValidateCORSOrigins returns the errors of ValidateCORSOrigin, joined, and one for an origin
// that is given twice.
func ValidateCORSOrigins(origins []string) error {
	var failed []error
	for i, text := range origins {
		failed = append(failed, ValidateCORSOrigin(text))
		if slices.Contains(origins[:i], text) {
			failed = append(failed, fmt.Errorf("CORS origin %.100q %w: it is given twice", text, ErrInvalid))
		}
	}
	return errors.Join(failed...)
}
