package secretvalues

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// letterOf maps a byte to what counts of it without separators: letters in lower case, and
// digits. Others are 0.
var letterOf = func() (letters [256]byte) {
	for c := byte('0'); c <= '9'; c++ {
		letters[c] = c
	}
	for c := byte('a'); c <= 'z'; c++ {
		letters[c], letters[c-'a'+'A'] = c, c
	}
	return letters
}()

// fold returns the letters and digits of a text, and the place of each. Escaped white
// space has none.
func fold(text []byte) (letters []byte, places []int) {
	letters, places = make([]byte, 0, len(text)), make([]int, 0, len(text))
	for i, b := range text {
		if l := letterOf[b]; l != 0 && !isEscape(text, i) {
			letters, places = append(letters, l), append(places, i)
		}
	}
	return letters, places
}

// isEscape reports whether a letter is the end of an escaped white space.
func isEscape(text []byte, i int) bool {
	b := text[i]
	return (b == 'n' || b == 'r' || b == 't') && i > 0 && text[i-1] == '\\'
}

// written are the ways in which texts are quoted: as they are, in Go, in JSON, in a URL, in
// HTML.
func written(value string) []string {
	forms := []string{value, url.QueryEscape(value), url.PathEscape(value), html.EscapeString(value)}
	for _, quoted := range []string{strconv.Quote(value), strconv.QuoteToASCII(value), quoteJSON(value)} {
		forms = append(forms, quoted[1:len(quoted)-1])
	}
	return distinct(forms, minValue)
}

func quoteJSON(value string) string {
	quoted, err := json.Marshal(value)
	if err != nil {
		return strconv.Quote(value)
	}
	return string(quoted)
}

// exactForms are searched for as they are.
func exactForms(value string) []string {
	return distinct(append(written(value), encoded(value)...), minValue)
}

// encoded returns the encodings of a value: base64, at every offset of the value in the encoded
// bytes, and hex.
func encoded(value string) []string {
	forms := []string{hex.EncodeToString([]byte(value))}
	for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
		for offset := range 3 {
			forms = append(forms, within(encoding, value, offset))
		}
	}
	return forms
}

// within returns the part of an encoded text that depends on the value alone, if the value
// is at an offset in the text.
func within(encoding *base64.Encoding, value string, offset int) string {
	const bits, digit = 8, 6
	text := encoding.EncodeToString([]byte(strings.Repeat("\x00", offset) + value))
	first := (offset*bits + digit - 1) / digit
	return text[first : (offset+len(value))*bits/digit]
}

// foldedForms are searched for among letters and digits only, so that separators, escapes
// and line breaks do not hide them.
func foldedForms(value string) []string {
	forms := slices.Concat(written(value), encoded(value))
	for _, format := range []string{"%d", "%#x", "x%02x", "u%04x", "%03o"} {
		var list strings.Builder
		for _, b := range []byte(value) {
			fmt.Fprintf(&list, format, b)
		}
		forms = append(forms, list.String())
	}
	for i, form := range forms {
		letters, _ := fold([]byte(form))
		forms[i] = string(letters)
	}
	return distinct(forms, minFolded)
}

func distinct(forms []string, shortest int) []string {
	var kept []string
	for _, form := range forms {
		if len(form) >= shortest && !slices.Contains(kept, form) {
			kept = append(kept, form)
		}
	}
	return kept
}
