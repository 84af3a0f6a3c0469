package s3rules

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// OriginAllowed describes valid origins.
const OriginAllowed = "* or a scheme and a host, with a port if it is not the scheme's own, such as http://localhost:3000 " +
	"or https://*.example.com, with at most one *"

// origin matches origins as browsers send them: without path, and in lower case.
var origin = regexp.MustCompile(`^[a-z*][a-z0-9+.*-]*://([a-z0-9.*_-]+|\[[0-9a-f:]+\])(:([0-9]{1,5}|\*))?$`)

// Origins returns the violations of origins of pages, as browsers send them: an invalid or repeated
// one. An origin may contain one *, which matches any number of any characters; * alone matches all
// origins.
func Origins(origins []string) (found []*Violation) {
	for i, text := range origins {
		subject := fmt.Sprintf("CORS origin %.100q", text)
		if text != "*" && (strings.Count(text, "*") > 1 || !origin.MatchString(text)) {
			found = append(found, violation(subject, "it must be "+OriginAllowed))
		}
		if slices.Contains(origins[:i], text) {
			found = append(found, violation(subject, "it is given twice"))
		}
	}
	return found
}
