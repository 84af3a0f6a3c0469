package timeline_test

import (
	"crypto/sha256"
	"encoding/base64"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

func TestPolicy(t *testing.T) {
	root := parse(t, write(t, fixture()), true)
	policy := ""
	for n := range find(root) {
		if n.Data == "meta" && attribute(n, "http-equiv") == "Content-Security-Policy" {
			policy = attribute(n, "content")
		}
	}
	if !strings.HasPrefix(policy, "default-src 'none';") || strings.Contains(policy, "unsafe") {
		t.Errorf("the policy is %q, and must allow nothing but what it names", policy)
	}
	for n := range find(root) {
		if n.Data != "style" && n.Data != "script" {
			continue
		}
		sum := sha256.Sum256([]byte(n.FirstChild.Data))
		if want := n.Data + "-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(policy, want) {
			t.Errorf("the policy %q does not allow our own %s: %s", policy, n.Data, want)
		}
	}
}

var loads = regexp.MustCompile(`(?i)https?:|@import|url\(\s*["']?[^#"'\s]|\bimport\s*\(|\bfetch\s*\(|XMLHttpRequest|WebSocket`)

func TestSelfContained(t *testing.T) {
	root := parse(t, write(t, fixture()), false)
	for n := range root.Descendants() {
		if n.Type == html.TextNode && (n.Parent.Data == "style" || n.Parent.Data == "script") {
			if found := loads.FindString(n.Data); found != "" {
				t.Errorf("<%s> has %q: the page must need nothing else", n.Parent.Data, found)
			}
		}
		for _, a := range n.Attr {
			if a.Key != "content" && loads.MatchString(a.Val) {
				t.Errorf("<%s> has %s=%q", n.Data, a.Key, a.Val)
			}
		}
	}
}
