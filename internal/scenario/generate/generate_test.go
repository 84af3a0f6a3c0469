package generate

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

func TestUpToDate(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	files, err := Files(root)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(got), string(want)); diff != "" {
			t.Errorf("%s is out of date, run: make generate\n-have, +want:\n%s", name, diff)
		}
	}
}

// TestTables finds every type that can be reached from a scenario in the tables, and a description
// of every field.
func TestTables(t *testing.T) {
	var known []reflect.Type
	for _, table := range tables {
		known = append(known, table.of)
	}
	seen := map[reflect.Type]bool{}
	var walk func(reflect.Type)
	walk = func(of reflect.Type) {
		for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice || of.Kind() == reflect.Map {
			of = of.Elem()
		}
		if of.Kind() != reflect.Struct || seen[of] {
			return
		}
		seen[of] = true
		for _, f := range reflect.VisibleFields(of) {
			if f.Tag.Get("yaml") == "" {
				continue
			}
			if !slices.Contains(known, of) {
				t.Fatalf("%s has no table", of)
			}
			if f.Tag.Get("doc") == "" {
				t.Errorf("the field %s of %s has no description", f.Name, of)
			}
			walk(f.Type)
		}
	}
	walk(reflect.TypeFor[spec.Scenario]())
	if len(seen) < len(tables) {
		t.Errorf("%d types are found, and there are %d tables", len(seen), len(tables))
	}
}

func TestPageWithoutMarks(t *testing.T) {
	if _, err := page([]byte("# Scenarios\n")); err == nil {
		t.Error("page() = nil, want an error: there is no place for the tables")
	}
}
