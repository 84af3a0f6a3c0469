package fault

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/pflag"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/internal/seam/operations"
)

type faultFlags struct {
	made fault.Fault
	set  []string
}

func (f *faultFlags) add(flags *pflag.FlagSet) {
	v := reflect.ValueOf(&f.made).Elem()
	for _, field := range reflect.VisibleFields(v.Type()) {
		name, doc := flagName(field), field.Tag.Get("doc")
		if name == "" {
			continue
		}
		switch into := v.FieldByIndex(field.Index).Addr().Interface().(type) {
		case *bool:
			flags.BoolVar(into, name, false, doc)
		case *int:
			flags.IntVar(into, name, 0, doc)
		case *time.Duration:
			flags.DurationVar(into, name, 0, doc)
		case *map[string]any:
			flags.StringArrayVar(&f.set, name, nil, doc+"; in the form PATH=JSON")
		default: // a text
			flags.Var(textFlag{v.FieldByIndex(field.Index)}, name, doc)
			if values := field.Tag.Get("enum"); values != "" {
				cli.Values(flags, name, strings.Split(values, ",")...)
			}
		}
	}
}

// flagName returns the name of a field with hyphens; empty for a field without a flag.
func flagName(field reflect.StructField) string {
	if field.Tag.Get("flag") == "-" {
		return ""
	}
	var name strings.Builder
	for _, letter := range field.Tag.Get("yaml") {
		if unicode.IsUpper(letter) {
			name.WriteByte('-')
		}
		name.WriteRune(unicode.ToLower(letter))
	}
	return name.String()
}

type textFlag struct{ into reflect.Value }

func (t textFlag) String() string {
	if !t.into.IsValid() {
		return ""
	}
	return t.into.String()
}

func (t textFlag) Set(text string) error {
	t.into.SetString(text)
	return nil
}

func (t textFlag) Type() string { return "string" }

var notInName = regexp.MustCompile(`[^A-Za-z0-9.]+`)

// defaultName returns the name of a fault that is given none.
func defaultName(m fault.Match) string {
	return cmp.Or(strings.Trim(notInName.ReplaceAllString(cmp.Or(m.Operation, string(m.Seam)), "-"), "-"), "fault")
}

// fault returns the fault of the flags. The name may be empty.
func (f *faultFlags) fault(name string) (fault.Fault, error) {
	if f.made.Seam == "" && f.made.Operation != "" {
		seam, err := operations.Implied(f.made.Operation)
		if err != nil {
			return fault.Fault{}, fmt.Errorf("--operation: %w", err)
		}
		f.made.Seam = seam
	}
	f.made.Name = cmp.Or(name, defaultName(f.made.Match))
	for _, setting := range f.set {
		path, text, found := strings.Cut(setting, "=")
		var value any
		if err := json.Unmarshal([]byte(text), &value); !found || err != nil {
			return fault.Fault{}, fmt.Errorf(`--set %q must have the form PATH=JSON, for example bucket_id='"x"'`, setting)
		}
		if f.made.Set == nil {
			f.made.Set = map[string]any{}
		}
		f.made.Set[path] = value
	}
	if err := operations.CheckComponentAt(f.made.Seam, f.made.Component); err != nil {
		return fault.Fault{}, fmt.Errorf("--component: %w", err)
	}
	return f.made, f.made.Validate()
}
