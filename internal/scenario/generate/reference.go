package generate

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/docpage"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// tables are the types in docs/scenarios.md, with their titles there.
var tables = []struct {
	of    reflect.Type
	title string
}{
	{reflect.TypeFor[spec.Scenario](), "The document"},
	{reflect.TypeFor[spec.Setup](), "`setup`"},
	{reflect.TypeFor[spec.Driver](), "an item of `setup.drivers`"},
	{reflect.TypeFor[spec.Limits](), "`setup.limits`"},
	{reflect.TypeFor[spec.Class](), "an item of `setup.classes`"},
	{reflect.TypeFor[spec.AccessClass](), "an item of `setup.accessClasses`"},
	{reflect.TypeFor[spec.Modes](), "`disallowedBucketAccessModes`"},
	{reflect.TypeFor[spec.Exception](), "an item of `allow`"},
	{reflect.TypeFor[spec.Step](), "a step"},
	{reflect.TypeFor[spec.Always](), "`always`"},
	{reflect.TypeFor[spec.Events](), "`calls` and `never`"},
	{reflect.TypeFor[spec.EventPattern](), "an item of `events`"},
	{reflect.TypeFor[spec.Settle](), "`settle`"},
	{reflect.TypeFor[spec.Call](), "`call`"},
	{reflect.TypeFor[spec.Backend](), "`backend`"},
	{reflect.TypeFor[spec.PutObject](), "`backend.put`"},
	{reflect.TypeFor[spec.Place](), "`backend.deleteObject`"},
	{reflect.TypeFor[spec.Policy](), "`backend.setPolicy`"},
	{reflect.TypeFor[spec.S3](), "`s3`"},
	{reflect.TypeFor[spec.Fault](), "`inject`"},
	{reflect.TypeFor[spec.Repeat](), "`repeat`"},
	{reflect.TypeFor[spec.ForEach](), "`forEach`"},
	{reflect.TypeFor[spec.Exec](), "`exec`"},
	{reflect.TypeFor[spec.Logs](), "`logs`"},
	{reflect.TypeFor[spec.Golden](), "`golden`"},
}

func page(text []byte) ([]byte, error) {
	text, err := between(text, "oracles", oracles())
	if err != nil {
		return nil, err
	}
	return between(text, "reference", fields())
}

func between(text []byte, name, content string) ([]byte, error) {
	return docpage.Replace(text, "<!-- "+name+" -->", "<!-- /"+name+" -->", content)
}

func oracles() string {
	var text strings.Builder
	text.WriteString("| oracle | requirement |\n| --- | --- |\n")
	for _, o := range vocabulary.Oracles() {
		fmt.Fprintf(&text, "| `%s` | %s |\n", o.Name, o.About)
	}
	return text.String()
}

func fields() string {
	var text strings.Builder
	for _, table := range tables {
		fmt.Fprintf(&text, "\n%s:\n\n| field | description |\n| --- | --- |\n", table.title)
		for _, f := range reflect.VisibleFields(table.of) {
			if name := f.Tag.Get("yaml"); name != "" {
				fmt.Fprintf(&text, "| `%s` | %s%s |\n", name, strings.ReplaceAll(f.Tag.Get("doc"), "|", `\|`), remark(f))
			}
		}
	}
	return text.String()
}

// remark describes constraints of the tags.
func remark(f reflect.StructField) string {
	switch {
	case f.Tag.Get("verb") != "":
		return " (a verb)"
	case f.Tag.Get("required") != "":
		return " (required)"
	}
	return ""
}
