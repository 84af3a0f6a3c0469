package redact

import "regexp"

// A URL's user information and query are where credentials travel: signed URLs,
// tokens.
var (
	urlUser  = regexp.MustCompile(`(://)[^/?#\s@]+@`)
	urlQuery = regexp.MustCompile(`(://[^?\s"']*)\?[^\s"']*`)
)

// Text returns what somebody has said in his own words, such as the error of a
// driver, without that in the URLs in it which may be secret: user information
// and queries. In free text, more than that cannot be told from the rest.
func Text(text string) string {
	text = urlUser.ReplaceAllString(text, "$1")
	return urlQuery.ReplaceAllString(text, "$1?...")
}
