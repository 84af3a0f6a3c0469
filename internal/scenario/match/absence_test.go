package match_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/scenario/match"
)

// TestNothingMatchesOnlyAbsent compares every kind of pattern with an object, and with a field, that is missing, null,
// empty, or of another type. An object that does not exist matches only absent.
func TestNothingMatchesOnlyAbsent(t *testing.T) {
	values := []struct{ name, value string }{
		{"no object", ``}, {"no field", `{}`}, {"null", `{"a": null}`}, {"empty text", `{"a": ""}`}, {"empty list", `{"a": []}`},
		{"empty object", `{"a": {}}`}, {"text", `{"a": "x"}`}, {"number", `{"a": 1}`}, {"list", `{"a": [1]}`}, {"object", `{"a": {"b": 1}}`},
	}
	for name, tc := range map[string]struct {
		pattern string
		want    []string // the values that match
	}{
		"absent":      {"{a: absent}", []string{"no object", "no field", "null", "empty text", "empty list", "empty object"}},
		"present":     {"{a: present}", []string{"text", "number", "list", "object"}},
		"null":        {"{a: null}", []string{"null"}},
		"text":        {"{a: x}", []string{"text"}},
		"empty text":  {"{a: ''}", []string{"empty text"}},
		"number":      {"{a: 1}", []string{"number"}},
		"template":    {"{a: '${1}'}", []string{"number"}},
		"cel":         {"{a: {cel: self != 'old'}}", []string{"empty text", "empty list", "empty object", "text", "number", "list", "object"}},
		"cel of type": {"{a: {cel: self > 0}}", []string{"number"}},
		"not":         {"{a: {not: y}}", []string{"empty text", "empty list", "empty object", "text", "number", "list", "object"}},
		"not true": {"{a: {not: true}}", []string{
			"no field", "null", "empty text", "empty list", "empty object", "text", "number", "list", "object",
		}},
		"not absent":   {"{a: {not: absent}}", []string{"text", "number", "list", "object"}},
		"not of":       {"{a: {not: {c: 1}}}", []string{"empty text", "empty list", "empty object", "text", "number", "list", "object"}},
		"mapping":      {"{a: {b: 1}}", []string{"object"}},
		"inner absent": {"{a: {c: absent}}", []string{"no object", "no field", "null", "empty object", "object"}},
		"inner not":    {"{a: {b: {not: 2}}}", []string{"object"}},
		"inner cel":    {"{a: {b: {cel: self != 2}}}", []string{"object"}},
		"mapping of":   {"{a: {}}", []string{"empty object", "object"}},
		"list":         {"{a: [1]}", []string{"list"}},
		"empty list":   {"{a: []}", []string{"no field", "null", "empty text", "empty list", "empty object"}},
		"keyed list":   {"{a: [{type: T}]}", nil},
		"keyed absent": {"{a: [{type: T, s: absent}]}", nil},
	} {
		t.Run(name, func(t *testing.T) {
			var matched []string
			for _, v := range values {
				got := match.Missing
				if v.value != "" {
					if err := json.Unmarshal([]byte(v.value), &got); err != nil {
						t.Fatal(err)
					}
				}
				differences, err := match.Match(pattern(t, tc.pattern), got, nil)
				if err != nil {
					t.Fatal(err)
				}
				if len(differences) == 0 {
					matched = append(matched, v.name)
				}
			}
			if diff := cmp.Diff(tc.want, matched); diff != "" {
				t.Errorf("%s matches: -want, +got:\n%s", tc.pattern, diff)
			}
		})
	}
}
