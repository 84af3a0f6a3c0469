package generate

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
)

// faultPage returns docs/faults.md with its tables generated again.
func faultPage(text []byte) ([]byte, error) {
	text, err := between(text, "match", matchTable())
	if err != nil {
		return nil, err
	}
	if text, err = between(text, "effects", effectTable()); err != nil {
		return nil, err
	}
	return between(text, "interferences", interferenceTable())
}

func interferenceTable() string {
	var text strings.Builder
	text.WriteString("| interference | objects | what happens |\n| --- | --- | --- |\n")
	for _, a := range fault.Interferences() {
		fmt.Fprintf(&text, "| `%s` | %s | %s |\n", a.Name, strings.Join(a.Kinds, ", "), a.About)
	}
	return text.String()
}

func matchTable() string {
	var text strings.Builder
	text.WriteString("| field | description |\n| --- | --- |\n")
	for _, f := range reflect.VisibleFields(reflect.TypeFor[fault.Match]()) {
		fmt.Fprintf(&text, "| `%s` | %s |\n", f.Tag.Get("yaml"), cell(f))
	}
	return text.String()
}

func effectTable() string {
	var text strings.Builder
	text.WriteString("| effect | where | what happens |\n| --- | --- | --- |\n")
	for _, f := range reflect.VisibleFields(reflect.TypeFor[fault.Effect]()) {
		where := strings.ReplaceAll(f.Tag.Get("at"), ",", ", ")
		if with := f.Tag.Get("with"); with != "" {
			where = strings.TrimSuffix("with `"+strings.ReplaceAll(with, ",", "` or `")+"` at "+where, " at ")
		}
		fmt.Fprintf(&text, "| `%s` | %s | %s |\n", f.Tag.Get("yaml"), where, cell(f))
	}
	return text.String()
}

func cell(f reflect.StructField) string { return strings.ReplaceAll(f.Tag.Get("doc"), "|", `\|`) }
