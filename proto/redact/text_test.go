package redact

import "testing"

func TestText(t *testing.T) {
	for _, tc := range []struct{ name, text, want string }{
		{"no URL", "no space left: 3 of 3 used?", "no space left: 3 of 3 used?"},
		{"plain URL", `Get "https://store.test/b": refused`, `Get "https://store.test/b": refused`},
		{"user", "Get https://admin:secret@store.test/b: refused", "Get https://store.test/b: refused"},
		{"query", `Get "https://store.test/b?X-Signature=secret&a=b": refused`, `Get "https://store.test/b?...": refused`},
		{"both, twice", "a://u:s@h/?s b://u@h?s=t", "a://h/?... b://h?..."},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := Text(tc.text); got != tc.want {
				t.Errorf("Text(%q) = %q, want %q", tc.text, got, tc.want)
			}
		})
	}
}
