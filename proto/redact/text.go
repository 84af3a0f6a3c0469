package redact

import "regexp"

// Credentials occur in a URL's user information and query: signed URLs, tokens.
var (
	urlUser  = regexp.MustCompile(`(://)[^/?#\s@]+@`)
	urlQuery = regexp.MustCompile(`(://[^?\s"']*)\?[^\s"']*`)
)

// Text returns a free text, such as the error of a driver, without the parts of its
// URLs that may be secret: user information and queries. Other secrets cannot be
// recognized in free text.
func Text(text string) string {
	text = urlUser.ReplaceAllString(text, "$1")
	return urlQuery.ReplaceAllString(text, "$1?...")
}
