package secretvalues_test

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/secretvalues"
	"github.com/cosi-emu/cosi-emu/proto/redact"
)

const (
	value = `wJalr"XUtnFEMI/K7MDENG+bPx<RfiCY`
	owner = "account a"
)

func TestRedact(t *testing.T) {
	asJSON := func(v any) string {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	list := func(format string) string {
		var all []string
		for _, b := range []byte(value) {
			all = append(all, fmt.Sprintf(format, b))
		}
		return strings.Join(all, " ")
	}
	tests := map[string]struct {
		text string
		same bool // it shows nothing
	}{
		"Plain":           {text: "key " + value + "."},
		"Quoted":          {text: fmt.Sprintf("%q", value)},
		"JSON":            {text: asJSON(value)},
		"JSONInJSON":      {text: asJSON(asJSON(map[string]string{"key": value}))},
		"URL":             {text: "http://x/?key=" + url.QueryEscape(value)},
		"HTML":            {text: html.EscapeString(value)},
		"Bytes":           {text: fmt.Sprintf("%d", []byte(value))},
		"BytesJSON":       {text: strings.ReplaceAll(fmt.Sprintf("%d", []byte(value)), " ", ",")},
		"BytesGo":         {text: fmt.Sprintf("%#v", []byte(value))},
		"Hex":             {text: hex.EncodeToString([]byte(value))},
		"HexUpper":        {text: fmt.Sprintf("%X", value)},
		"HexSpaces":       {text: fmt.Sprintf("% x", value)},
		"HexEscapes":      {text: list(`\x%02x`)},
		"UnicodeEscapes":  {text: list(`\u%04x`)},
		"Base64":          {text: base64.StdEncoding.EncodeToString([]byte(value))},
		"Base64URL":       {text: base64.RawURLEncoding.EncodeToString([]byte(value))},
		"Base64Within":    {text: base64.StdEncoding.EncodeToString([]byte("Basic:" + value + ":end"))},
		"Base64Within1":   {text: base64.StdEncoding.EncodeToString([]byte("Basic1:" + value))},
		"Base64Within2":   {text: base64.StdEncoding.EncodeToString([]byte("Basic12:" + value))},
		"Hyphens":         {text: strings.Join(strings.Split(value, ""), "-")},
		"Lines":           {text: value[:10] + "\n" + value[10:20] + "\r\n\t" + value[20:]},
		"LinesJSON":       {text: asJSON(value[:10] + "\n" + value[10:20] + "\t" + value[20:])},
		"UpperCase":       {text: strings.ToUpper(value)},
		"Part":            {text: value[:len(value)-3], same: true},
		"OtherBytes":      {text: fmt.Sprintf("%d", []byte("another text that is as long as it")), same: true},
		"Base32":          {text: base32.StdEncoding.EncodeToString([]byte(value)), same: true}, // no component writes it
		"Nothing":         {text: "", same: true},
		"ShortInSentence": {text: "my pass word", same: true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			v := &secretvalues.Values{}
			v.Add(owner, value)
			v.Add("account short", "mypassword")
			got, owners := v.Redact(tc.text, 0)
			if tc.same {
				if got != tc.text || owners != nil {
					t.Errorf("Redact(%q) = %q, %v; want the text", tc.text, got, owners)
				}
				return
			}
			if diff := cmp.Diff([]string{owner}, owners); diff != "" || !strings.Contains(got, redact.Placeholder) {
				t.Errorf("Redact(%q) = %q; owners -want, +got:\n%s", tc.text, got, diff)
			}
			if again, _ := v.Redact(got, 0); again != got {
				t.Errorf("the rest %q still shows the value", got)
			}
		})
	}
}

func TestRedactJSON(t *testing.T) {
	v := &secretvalues.Values{}
	v.Add(owner, value)
	bytes := strings.ReplaceAll(fmt.Sprintf("%d", []byte(value)), " ", ",")
	for text, want := range map[string]string{
		`{"a":"x wJalr\"XUtnFEMI/K7MDENG+bPx\u003cRfiCY","b":1}`: `{"a":"x ` + redact.Placeholder + `","b":1}`,
		`{"a":{"key":` + bytes + `},"b":12345678901234567890}`:   `{"a":{"key":"` + redact.Placeholder + `"},"b":12345678901234567890}`,
		`{"a":{"wJalr":"XUtnFEMI/K7MDENG+bPx<RfiCY"}}`:           `"` + redact.Placeholder + `"`,
		`{"b":1}`: `{"b":1}`,
		``:        ``,
	} {
		if got, _ := v.RedactJSON(json.RawMessage(text), 0); string(got) != want {
			t.Errorf("RedactJSON(%s) = %s, want %s", text, got, want)
		}
	}
}

func TestAdd(t *testing.T) {
	v := &secretvalues.Values{}
	for _, ignored := range []string{"", "short", redact.Placeholder, "x" + redact.Placeholder} {
		v.Add(owner, ignored)
	}
	if v.Count() != 0 {
		t.Errorf("%d values are known, want none", v.Count())
	}
	v.Add("account 1", "the-same-value")
	v.Add("account 2", "the-same-value")
	v.Add(secretvalues.Secret("ns", "key"), "the-same-value")
	if _, owners := v.Redact("the-same-value", 0); !cmp.Equal(owners, []string{"account 2"}) {
		t.Errorf("owners %v, want the latest account", owners)
	}
	before := v.Count()
	v.Add("account 3", "a-later-value")
	if got, _ := v.Redact("the-same-value a-later-value", before); got != "the-same-value "+redact.Placeholder {
		t.Errorf("after %d values: %q", before, got)
	}
}

func TestForgetsTheOldest(t *testing.T) {
	v := &secretvalues.Values{}
	name := func(i int) string { return fmt.Sprintf("value-%08d", i) }
	const many = 1<<15 + 1
	for i := range many {
		v.Add(owner, name(i))
	}
	if _, owners := v.Redact(name(0), 0); owners != nil {
		t.Error("the oldest is still known")
	}
	if _, owners := v.Redact(name(many-1), 0); owners == nil {
		t.Error("the latest is not known")
	}
}
