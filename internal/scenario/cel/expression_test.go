package cel_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	cosicel "github.com/cosi-emu/cosi-emu/internal/scenario/cel"
)

//nolint:lll // one case a line
func TestTemplate(t *testing.T) {
	variables := map[string]any{
		"index": int64(3), "name": "photos",
		"claim": map[string]any{"status": map[string]any{"ready": true, "protocols": []any{"S3", "GCS"}}},
	}
	tests := map[string]struct {
		reason, source string
		names          []string
		want           any
		fails          bool
	}{
		"Plain":      {reason: "No expression.", source: "photos", want: "photos"},
		"Empty":      {reason: "Nothing at all.", source: "", want: ""},
		"Whole":      {reason: "One expression keeps its type.", source: "${index + 1}", names: []string{"index"}, want: int64(4)},
		"Boolean":    {reason: "Also a boolean.", source: "${claim.status.ready}", names: []string{"claim"}, want: true},
		"List":       {reason: "And a list.", source: "${claim.status.protocols}", names: []string{"claim"}, want: []any{"S3", "GCS"}},
		"InText":     {reason: "In a text it becomes text.", source: "${name}-${index}", names: []string{"index", "name"}, want: "photos-3"},
		"Escaped":    {reason: "Two dollars are one.", source: "$${name}", want: "${name}"},
		"Braces":     {reason: "A map's brace does not end it.", source: "${{'a': {'b': name}}['a']['b']}", names: []string{"name"}, want: "photos"},
		"Quotes":     {reason: "Nor one in a string.", source: "x${'}' + name}", names: []string{"name"}, want: "x}photos"},
		"Macro":      {reason: "Variables of macros are not names.", source: "${claim.status.protocols.all(p, p.size() > 1)}", names: []string{"claim"}, want: true},
		"Type":       {reason: "Nor are types.", source: "${type(index) == int}", names: []string{"index"}, want: true},
		"Functions":  {reason: "The usual ones.", source: "${name.upperAscii()}", names: []string{"name"}, want: "PHOTOS"},
		"NoSuchKey":  {reason: "Known only when it is evaluated.", source: "${claim.status.missing}", names: []string{"claim"}, fails: true},
		"DollarOnly": {reason: "A dollar is a dollar.", source: "5$", want: "5$"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			template, err := cosicel.ParseTemplate(tc.source)
			if err != nil {
				t.Fatalf("%s\nParseTemplate() = %v", tc.reason, err)
			}
			if diff := cmp.Diff(tc.names, template.Names()); diff != "" {
				t.Errorf("%s\nNames(): -want, +got:\n%s", tc.reason, diff)
			}
			got, err := template.Eval(variables)
			if diff := cmp.Diff(tc.want, got); diff != "" || (err != nil) != tc.fails {
				t.Errorf("%s\nEval() = %v: -want, +got:\n%s", tc.reason, err, diff)
			}
		})
	}
}

func TestTemplateRejected(t *testing.T) {
	for name, source := range map[string]string{
		"Open": "${name", "Empty": "${}", "Syntax": "${name +}", "Quote": "${'}", "Nonsense": "${a b}",
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := cosicel.ParseTemplate(source); err == nil {
				t.Errorf("ParseTemplate(%q) = %v, want an error", source, got)
			}
		})
	}
}

func TestTestWantsBoolean(t *testing.T) {
	e, err := cosicel.Parse("1 + 1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Test(nil); err == nil {
		t.Error("Test() = nil, want an error: 2 is neither true nor false")
	}
}

func TestCostIsBounded(t *testing.T) {
	e, err := cosicel.Parse("l.all(a, l.all(b, l.all(c, a + b + c >= 0)))")
	if err != nil {
		t.Fatal(err)
	}
	long := make([]any, 500)
	for i := range long {
		long[i] = int64(i)
	}
	if _, err := e.Eval(map[string]any{"l": long}); err == nil {
		t.Error("Eval() = nil, want an error: it would take very long")
	}
}
