package docs_test

import (
	"os"
	"strings"
	"testing"
)

// TestChainsawPage verifies that chainsaw.md shows the assertion of the example, which a test of test/integration compares
// with an emulator.
func TestChainsawPage(t *testing.T) {
	page, err := os.ReadFile("chainsaw.md")
	if err != nil {
		t.Fatal(err)
	}
	assertion, err := os.ReadFile("../examples/chainsaw/ready.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), "```yaml\n"+string(assertion)+"```\n") {
		t.Error("the page does not show examples/chainsaw/ready.yaml")
	}
}
