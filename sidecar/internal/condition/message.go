package condition

import "regexp"

var wordWithDigit = regexp.MustCompile(`\S*\d\S*`)

// sameButNumbers reports whether two messages say the same, words with digits in
// them aside. Drivers put request IDs, times and counters into their errors;
// were each of them news, a driver that keeps failing would cause a write and an
// event at every attempt.
func sameButNumbers(a, b string) bool {
	return a == b || wordWithDigit.ReplaceAllString(a, "#") == wordWithDigit.ReplaceAllString(b, "#")
}
