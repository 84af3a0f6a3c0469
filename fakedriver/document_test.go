package fakedriver_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/fakedriver"
)

// TestDocumentedParameters compares the tables with the code, row by row.
func TestDocumentedParameters(t *testing.T) {
	text := readDocument(t)
	for kind, parameters := range map[string][]fakedriver.Parameter{
		"BucketClass": fakedriver.BucketParameters(), "BucketAccessClass": fakedriver.AccessParameters(),
	} {
		_, table, begins := strings.Cut(text, "<!-- "+kind+" -->\n")
		table, _, ends := strings.Cut(table, "<!-- /"+kind+" -->")
		if !begins || !ends {
			t.Fatalf("driver.md has no table for %s", kind)
		}
		var want strings.Builder
		want.WriteString("| parameter | values | effect |\n| --- | --- | --- |\n")
		for _, p := range parameters {
			fmt.Fprintf(&want, "| `%s` | %s | %s |\n", p.Name, p.Allowed, p.Effect)
		}
		if diff := cmp.Diff(want.String(), table); diff != "" {
			t.Errorf("table of %s: -the code's, +the document's:\n%s", kind, diff)
		}
	}
}

// TestDocumentedExamples compares objects in the document with the examples, which are tested.
func TestDocumentedExamples(t *testing.T) {
	var examples strings.Builder
	files, err := filepath.Glob("../examples/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("examples %v, %v", files, err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		examples.Write(content)
	}
	blocks := regexp.MustCompile("(?s)```yaml\n(apiVersion.*?)```").FindAllStringSubmatch(readDocument(t), -1)
	if len(blocks) == 0 {
		t.Error("there are no objects in the document")
	}
	for _, block := range blocks {
		if !strings.Contains(examples.String(), block[1]) {
			t.Errorf("this is in no example:\n%s", block[1])
		}
	}
}

func readDocument(t *testing.T) string {
	t.Helper()
	content, err := os.ReadFile("../docs/driver.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
