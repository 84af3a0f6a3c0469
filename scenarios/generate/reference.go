package main

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"

	"github.com/cosi-emu/cosi-emu/emulator/oracle"
	"github.com/cosi-emu/cosi-emu/scenarios/document"
)

// tables are the types in docs/scenarios.md, with what they are there.
var tables = []struct {
	of    reflect.Type
	title string
}{
	{reflect.TypeFor[document.Scenario](), "The document"},
	{reflect.TypeFor[document.Setup](), "`setup`"},
	{reflect.TypeFor[document.Driver](), "an item of `setup.drivers`"},
	{reflect.TypeFor[document.Limits](), "`setup.limits`"},
	{reflect.TypeFor[document.Class](), "an item of `setup.classes`"},
	{reflect.TypeFor[document.AccessClass](), "an item of `setup.accessClasses`"},
	{reflect.TypeFor[document.Modes](), "`disallowedBucketAccessModes`"},
	{reflect.TypeFor[document.Exception](), "an item of `allow`"},
	{reflect.TypeFor[document.Step](), "a step"},
	{reflect.TypeFor[document.Always](), "`always`"},
	{reflect.TypeFor[document.Events](), "`calls` and `never`"},
	{reflect.TypeFor[document.EventPattern](), "an item of `events`"},
	{reflect.TypeFor[document.Settle](), "`settle`"},
	{reflect.TypeFor[document.Call](), "`call`"},
	{reflect.TypeFor[document.Backend](), "`backend`"},
	{reflect.TypeFor[document.PutObject](), "`backend.put`"},
	{reflect.TypeFor[document.Place](), "`backend.deleteObject`"},
	{reflect.TypeFor[document.Policy](), "`backend.setPolicy`"},
	{reflect.TypeFor[document.S3](), "`s3`"},
	{reflect.TypeFor[document.Fault](), "`inject`"},
	{reflect.TypeFor[document.Repeat](), "`repeat`"},
	{reflect.TypeFor[document.ForEach](), "`forEach`"},
	{reflect.TypeFor[document.Exec](), "`exec`"},
	{reflect.TypeFor[document.Golden](), "`golden`"},
}

// page returns a page with what is generated of it made anew.
func page(text []byte) ([]byte, error) {
	text, err := between(text, "oracles", oracles())
	if err != nil {
		return nil, err
	}
	return between(text, "reference", fields())
}

// between replaces what stands between <!-- name --> and <!-- /name -->.
func between(text []byte, name, content string) ([]byte, error) {
	begin, end := "<!-- "+name+" -->\n", "<!-- /"+name+" -->\n"
	before, rest, ok := bytes.Cut(text, []byte(begin))
	_, after, closed := bytes.Cut(rest, []byte(end))
	if !ok || !closed {
		return nil, fmt.Errorf("docs/scenarios.md has no %q and %q, in lines of their own", strings.TrimSpace(begin), strings.TrimSpace(end))
	}
	return []byte(string(before) + begin + content + end + string(after)), nil
}

func oracles() string {
	var text strings.Builder
	text.WriteString("| oracle | what it makes sure of |\n| --- | --- |\n")
	all := oracle.All()
	for _, name := range oracle.Names() {
		fmt.Fprintf(&text, "| `%s` | %s |\n", name, all[name])
	}
	return text.String()
}

func fields() string {
	var text strings.Builder
	for _, table := range tables {
		fmt.Fprintf(&text, "\n%s:\n\n| field | what it is |\n| --- | --- |\n", table.title)
		for _, f := range reflect.VisibleFields(table.of) {
			if name := f.Tag.Get("yaml"); name != "" {
				fmt.Fprintf(&text, "| `%s` | %s%s |\n", name, strings.ReplaceAll(f.Tag.Get("doc"), "|", `\|`), remark(f))
			}
		}
	}
	return text.String()
}

// remark says what the tags do beside the description.
func remark(f reflect.StructField) string {
	switch {
	case f.Tag.Get("verb") != "":
		return " (a verb)"
	case f.Tag.Get("required") != "":
		return " (required)"
	}
	return ""
}
