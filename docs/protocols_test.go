package docs_test

import (
	"os"
	"strings"
	"testing"
)

// TestProtocolsSnippet compares the Go code of protocols.md with the code that the tests with
// Google's client compile and use.
func TestProtocolsSnippet(t *testing.T) {
	document, err := os.ReadFile("protocols.md")
	if err != nil {
		t.Fatal(err)
	}
	code, err := os.ReadFile("../test/gcs/client_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(document), "```go\n")
	snippet, _, closed := strings.Cut(rest, "```\n")
	if !found || !closed || !strings.Contains(string(code), "\n"+snippet) {
		t.Errorf("the code of protocols.md is not that of ../test/gcs/client_test.go:\n%s", snippet)
	}
}
