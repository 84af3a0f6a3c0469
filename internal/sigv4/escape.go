package sigv4

import (
	"cmp"
	"net/url"
	"slices"
)

// isUnreserved reports whether a character is not escaped.
func isUnreserved(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '.' || c == '_' || c == '~'
}

// appendEscaped appends a text with all characters escaped, except unreserved ones and one more.
func appendEscaped(b []byte, text string, kept byte) []byte {
	const digits = "0123456789ABCDEF"
	for i := range len(text) {
		if c := text[i]; c == kept || isUnreserved(c) {
			b = append(b, c)
		} else {
			b = append(b, '%', digits[c>>4], digits[c&0xf])
		}
	}
	return b
}

type parameter struct{ name, value string }

// usual is the maximum number of parameters of most queries: their memory is on the stack.
const usual = 16

// appendQuery appends all parameters but one.
func appendQuery(b []byte, query url.Values, without string) []byte {
	all := make([]parameter, 0, usual)
	for name, values := range query {
		if name == without {
			continue
		}
		for _, value := range values {
			all = append(all, parameter{name, value})
		}
	}
	// Values of one name keep their order: it has a meaning that the signature covers.
	slices.SortStableFunc(all, func(a, b parameter) int { return compareEscaped(a.name, b.name) })
	const none = '-' // unreserved
	for i, p := range all {
		if i > 0 {
			b = append(b, '&')
		}
		b = append(appendEscaped(b, p.name, none), '=')
		b = appendEscaped(b, p.value, none)
	}
	return b
}

// compareEscaped compares the escaped forms of texts, which define the order.
func compareEscaped(a, b string) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return cmp.Compare(rank(a[i]), rank(b[i]))
		}
	}
	return cmp.Compare(len(a), len(b))
}

// rank orders characters like their escaped forms: every escape begins with a percent sign, which
// sorts before all unreserved characters.
func rank(c byte) int {
	if isUnreserved(c) {
		return 1<<8 + int(c)
	}
	return int(c)
}
