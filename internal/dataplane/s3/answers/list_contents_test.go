package answers

import (
	"bytes"
	"encoding/xml"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzWriteElement compares elements with those of encoding/xml.
func FuzzWriteElement(f *testing.F) {
	for _, text := range []string{"", "photos/1.jpg", "<a&b>\"'", "ü日本", "a\tb\r\n", "\x00\x1f\x7f\xff", "\uffff\ufffd"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var got bytes.Buffer
		writeElement(&got, "Key", text)
		want, err := xml.Marshal(struct {
			XMLName xml.Name `xml:"Key"`
			Text    string   `xml:",chardata"`
		}{Text: text})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got.String()); diff != "" {
			t.Errorf("writeElement(%q): -want, +got:\n%s", text, diff)
		}
	})
}
