package match_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/scenario/match"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

func pattern(t *testing.T, text string) spec.Pattern {
	t.Helper()
	file := "apiVersion: cosi-emu/v1alpha1\nkind: Scenario\nname: s\nsteps:\n" +
		"- {mark: m, as: x}\n- expect: {ConfigMap/it: {data: " + text + "}}\n"
	all, err := spec.Loader{}.Parse("s.yaml", []byte(file))
	if err != nil {
		t.Fatal(err)
	}
	return (*all[0].Steps[1].Expect)[0].Pattern.Fields[0].Pattern
}

// TestSpecified: what only the emulator's own components promise is compared for them alone.
func TestSpecified(t *testing.T) {
	conditions := "{conditions: [{type: Ready, status: 'True', reason: {builtIn: Done}, message: {builtIn: {cel: self != ''}}}]}"
	for name, tc := range map[string]struct {
		got                 string
		builtIn, ownMatches bool
	}{
		"all":          {`{"conditions": [{"type": "Ready", "status": "True", "reason": "Done", "message": "it is"}]}`, true, true},
		"other words":  {`{"conditions": [{"type": "Ready", "status": "True", "reason": "Finished"}]}`, false, true},
		"other status": {`{"conditions": [{"type": "Ready", "status": "False", "reason": "Done", "message": "it is"}]}`, false, false},
		"missing":      {`{}`, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			var got any
			if err := json.Unmarshal([]byte(tc.got), &got); err != nil {
				t.Fatal(err)
			}
			p := pattern(t, conditions)
			for _, compared := range []struct {
				pattern spec.Pattern
				matches bool
			}{{p, tc.builtIn}, {p.Specified(), tc.ownMatches}} {
				differences, err := match.Match(compared.pattern, got, nil)
				if err != nil || (len(differences) == 0) != compared.matches {
					t.Errorf("differences %v, error %v; want a match: %t", differences, err, compared.matches)
				}
			}
		})
	}
}

//nolint:lll // one case a line
func TestMatch(t *testing.T) {
	tests := map[string]struct {
		reason, pattern, got string
		want                 []string
	}{
		"Subset":                {reason: "Further fields do not matter.", pattern: "{a: 1}", got: `{"a": 1, "b": 2}`},
		"Different":             {reason: "The place, and both values.", pattern: "{a: {b: x}}", got: `{"a": {"b": "y"}}`, want: []string{"a.b: want x, got y"}},
		"MissingField":          {reason: "Nothing is not a value.", pattern: "{a: {b: x}}", got: `{"a": {}}`, want: []string{"a.b: want x, got nothing"}},
		"MissingAll":            {reason: "Nor is there anything in nothing.", pattern: "{a: x}", got: ``, want: []string{"a: want x, got nothing"}},
		"Numbers":               {reason: "By value.", pattern: "{a: 1, b: 1.5}", got: `{"a": 1.0, "b": 1.5}`},
		"NumberText":            {reason: "A text is not a number.", pattern: "{a: '1'}", got: `{"a": 1}`, want: []string{"a: want 1 (a text), got 1 (a number)"}},
		"NumberBool":            {reason: "Nor is a text a boolean.", pattern: "{a: true}", got: `{"a": "true"}`, want: []string{"a: want true (true or false), got true (a text)"}},
		"Bool":                  {reason: "Not quoted.", pattern: "{a: true}", got: `{"a": false}`, want: []string{"a: want true, got false"}},
		"Null":                  {reason: "Null is null.", pattern: "{a: null}", got: `{"a": null}`},
		"Present":               {reason: "Whatever it is.", pattern: "{a: present}", got: `{"a": 0}`},
		"PresentMissing":        {reason: "It is not there.", pattern: "{a: present}", got: `{}`, want: []string{"a: want present, got nothing"}},
		"PresentEmpty":          {reason: "The API server leaves out what is empty.", pattern: "{a: present}", got: `{"a": ""}`, want: []string{"a: want present, got nothing"}},
		"Absent":                {reason: "Nor may it be there.", pattern: "{a: absent}", got: `{"a": "x"}`, want: []string{"a: want absent, got x"}},
		"AbsentInNothing":       {reason: "Nothing has no fields.", pattern: "{a: {b: absent}}", got: `{}`},
		"AbsentObject":          {reason: "For a whole object.", pattern: "absent", got: ``},
		"Quoted":                {reason: "A word in quotes is a text.", pattern: "{a: 'present'}", got: `{"a": "present"}`},
		"QuotedOther":           {reason: "And not a word.", pattern: "{a: 'present'}", got: `{"a": "x"}`, want: []string{"a: want present, got x"}},
		"Condition":             {reason: "About self.", pattern: "{a: {cel: self > 2}}", got: `{"a": 3}`},
		"ConditionFalse":        {reason: "It says which.", pattern: "{a: {cel: self > 2}}", got: `{"a": 1}`, want: []string{"a: want self > 2, got 1"}},
		"ConditionOfNothing":    {reason: "It requires a value, as all but absent do.", pattern: "{a: {cel: self != 'old'}}", got: `{}`, want: []string{"a: want self != 'old', got nothing"}},
		"ConditionOfNull":       {reason: "Null is none.", pattern: "{a: {cel: self != 'old'}}", got: `{"a": null}`, want: []string{"a: want self != 'old', got nothing"}},
		"ConditionOfEmpty":      {reason: "An empty text is one.", pattern: "{a: {cel: self != 'old'}}", got: `{"a": ""}`},
		"ConditionOfNoObject":   {reason: "Nor is there anything in nothing.", pattern: "{a: {b: {cel: self != 'old'}}}", got: ``, want: []string{"a.b: want self != 'old', got nothing"}},
		"ConditionOfObject":     {reason: "About the object itself.", pattern: "{cel: self != 'old'}", got: ``, want: []string{"it: want self != 'old', got nothing"}},
		"ConditionType":         {reason: "A wrong type is a difference.", pattern: "{a: {cel: self > 2}}", got: `{"a": "x"}`, want: []string{"a: want self > 2 (self > 2: no such overload), got x"}},
		"EmptyMapping":          {reason: "An object without further expectations is there.", pattern: "{}", got: `{"a": 1}`},
		"EmptyMappingOfNothing": {reason: "It is expected to be there.", pattern: "{}", got: ``, want: []string{"it: want present, got nothing"}},
		"Not":                   {reason: "Another value.", pattern: "{a: {not: true}}", got: `{"a": false}`},
		"NotMissing":            {reason: "Nothing is not the value.", pattern: "{a: {not: true}}", got: `{}`},
		"NotNoObject":           {reason: "An object that does not exist has no values.", pattern: "{a: {not: true}}", got: ``, want: []string{"a: want not true, got nothing"}},
		"NotHolds":              {reason: "It is the value.", pattern: "{a: {not: '${x}'}}", got: `{"a": 7}`, want: []string{"a: want not 7, got 7"}},
		"NotMapping":            {reason: "As a whole.", pattern: "{a: {not: {b: 1, c: 2}}}", got: `{"a": {"b": 1, "c": 3}}`},
		"NotPattern":            {reason: "It matches.", pattern: "{a: {not: {b: 1}}}", got: `{"a": {"b": 1}}`, want: []string{`a: want something else, got {"b":1}`}},
		"Template":              {reason: "With the variables.", pattern: "{a: 'v-${x}'}", got: `{"a": "v-7"}`},
		"TemplateKey":           {reason: "In keys, too.", pattern: "{'k-${x}': v, other: absent}", got: `{"k-7": "w"}`, want: []string{"k-7: want v, got w"}},
		"TemplateType":          {reason: "One expression keeps its type.", pattern: "{a: '${x}'}", got: `{"a": 7}`},
		"Keyed":                 {reason: "Order and further items do not matter.", pattern: "{c: [{type: B, s: t}]}", got: `{"c": [{"type": "A"}, {"type": "B", "s": "t"}]}`},
		"KeyedDifferent":        {reason: "The path has the key.", pattern: "{c: [{type: B, s: t}]}", got: `{"c": [{"type": "B", "s": "f"}]}`, want: []string{"c[type=B].s: want t, got f"}},
		"KeyedMissing":          {reason: "It is not there.", pattern: "{c: [{type: B, s: t}]}", got: `{"c": []}`, want: []string{"c[type=B].type: want B, got nothing", "c[type=B].s: want t, got nothing"}},
		"Exact":                 {reason: "Without a key, all items count.", pattern: "{l: [a, b]}", got: `{"l": ["a", "b"]}`},
		"ExactLength":           {reason: "Also how many.", pattern: "{l: [a]}", got: `{"l": ["a", "b"]}`, want: []string{`l: want 1 item, got 2 items: ["a","b"]`}},
		"ExactOrder":            {reason: "And which comes first.", pattern: "{l: [a, b]}", got: `{"l": ["b", "a"]}`, want: []string{"l[0]: want a, got b", "l[1]: want b, got a"}},
		"EmptyList":             {reason: "Nothing is an empty list.", pattern: "{l: []}", got: `{}`},
		"NotAList":              {reason: "Shape.", pattern: "{l: [a]}", got: `{"l": "a"}`, want: []string{"l: want a list, got a"}},
		"NotAMapping":           {reason: "Shape.", pattern: "{m: {a: b}}", got: `{"m": "a"}`, want: []string{"m: want a mapping, got a"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := match.Missing
			if tc.got != "" {
				if err := json.Unmarshal([]byte(tc.got), &got); err != nil {
					t.Fatal(err)
				}
			}
			differences, err := match.Match(pattern(t, tc.pattern), got, map[string]any{"x": int64(7)})
			if err != nil {
				t.Fatal(err)
			}
			var found []string
			for _, d := range differences {
				found = append(found, d.String())
			}
			if diff := cmp.Diff(tc.want, found); diff != "" {
				t.Errorf("%s\nMatch(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestMatchFails(t *testing.T) {
	if _, err := match.Match(pattern(t, "{a: '${x.y}'}"), map[string]any{"a": "b"}, map[string]any{"x": "text"}); err == nil {
		t.Error("Match() = nil, want an error: x has no y")
	}
}
