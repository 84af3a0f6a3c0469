package timeline_test

import (
	"bytes"
	"iter"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/cosi-emu/cosi-emu/internal/report"
	"github.com/cosi-emu/cosi-emu/internal/report/timeline"
)

func write(t *testing.T, r report.Report) string {
	t.Helper()
	var text bytes.Buffer
	if err := timeline.Write(&text, r); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// parse reads HTML as a browser with or without scripts does.
func parse(t *testing.T, text string, scripts bool) *html.Node {
	t.Helper()
	root, err := html.ParseWithOptions(strings.NewReader(text), html.ParseOptionEnableScripting(scripts))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

func find(root *html.Node, classes ...string) iter.Seq[*html.Node] {
	return func(yield func(*html.Node) bool) {
		for n := range root.Descendants() {
			if n.Type == html.ElementNode && hasAll(n, classes) && !yield(n) {
				return
			}
		}
	}
}

func hasAll(n *html.Node, classes []string) bool {
	all := " " + attribute(n, "class") + " "
	for _, class := range classes {
		if !strings.Contains(all, " "+class+" ") {
			return false
		}
	}
	return true
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func byID(root *html.Node, id string) *html.Node {
	for n := range find(root) {
		if attribute(n, "id") == id {
			return n
		}
	}
	return nil
}

func count(root *html.Node, classes ...string) int {
	n := 0
	for range find(root, classes...) {
		n++
	}
	return n
}

// textOf returns the text in an element, its words with one space between them.
func textOf(n *html.Node) string {
	var text strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			text.WriteString(d.Data)
		}
	}
	return strings.Join(strings.Fields(text.String()), " ")
}

// ownText returns the text of an element without the text of inner elements, such as its title.
func ownText(n *html.Node) string {
	text := ""
	for d := range n.ChildNodes() {
		if d.Type == html.TextNode {
			text += d.Data
		}
	}
	return strings.TrimSpace(text)
}
