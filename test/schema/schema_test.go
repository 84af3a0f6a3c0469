// Package schema_test validates scenarios with the JSON Schema for editors, as editors do. It is a module of its
// own, so that the module of the product does not require the validator.
package schema_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"github.com/cosi-emu/cosi-emu/internal/scenario/schema"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

func compile(t *testing.T) *jsonschema.Schema {
	t.Helper()
	generated, err := schema.Generate()
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(generated))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("scenario.json", parsed); err != nil {
		t.Fatal(err)
	}
	compiled, err := compiler.Compile("scenario.json")
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

// documents are the documents of a file, as an editor reads them.
func documents(t *testing.T, data []byte) []any {
	t.Helper()
	var all []any
	for decoder := yaml.NewDecoder(bytes.NewReader(data)); ; {
		var one any
		if decoder.Decode(&one) != nil {
			return all
		}
		if one != nil {
			all = append(all, one)
		}
	}
}

// TestScenarios validates every valid scenario of the repository, wherever it is.
func TestScenarios(t *testing.T) {
	compiled := compile(t)
	found := 0
	err := filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && entry.Name() == ".git" {
			return filepath.SkipDir
		}
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".yaml" {
			return err
		}
		for _, one := range scenariosIn(t, path) {
			found++
			if err := compiled.Validate(one); err != nil {
				t.Errorf("%s: %v", path, err)
			}
		}
		return nil
	})
	if err != nil || found < 300 {
		t.Errorf("%d scenarios were found: %v", found, err)
	}
}

// scenariosIn returns the documents of a file with scenarios, or none if they are invalid on purpose.
func scenariosIn(t *testing.T, path string) []any {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(data), spec.APIVersion) {
		return nil
	}
	if _, err := (spec.Loader{}).Load(path); err != nil && !spec.IsStepList(data) {
		return nil
	}
	return documents(t, data)
}

const head = "apiVersion: cosi-emu/v1alpha1\nkind: Scenario\nname: a\n"

//nolint:lll // one case a line
func TestGood(t *testing.T) {
	compiled := compile(t)
	tests := map[string]struct{ reason, document string }{
		"Number":   {reason: "A text that looks like a number.", document: head + "steps: [{s3: {secret: key, put: 1, content: 2.5}}]"},
		"Null":     {reason: "settle and heal alone.", document: head + "steps: [{settle: }, {heal: }]"},
		"One":      {reason: "One instead of a list.", document: head + "steps: [{delete: Bucket/a}, {crash: sidecar}]"},
		"Pattern":  {reason: "Anything can be expected.", document: head + "steps: [{expect: {'ConfigMap/${class}': {data: {a: [1, null]}}}}]"},
		"Duration": {reason: "Of several parts.", document: head + "steps: [{settle: {quiet: 1m1.5s}, timeout: .5h}]"},
		"Count":    {reason: "A number, or a range.", document: head + "steps: [{calls: {events: [{count: 2}, {count: 1..}, {count: ..3}]}}]"},
		"Limits":   {reason: "Numbers and quantities.", document: head + "setup: {limits: {steps: 5, puts: 1, putBytes: 1Gi, duration: 1m}}\nsteps: [{s3: {secret: a, put: k, size: 6000000}}]"},
		"Tuned":    {reason: "Values that look like numbers.", document: head + "setup: {drivers: [{name: a, parameters: {maxAccounts: 3, latency: 5ms}}]}\nsteps: [{settle: }]"},
		"When":     {reason: "A condition that looks like a boolean.", document: head + "steps: [{settle: , when: true}]"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if err := compiled.Validate(documents(t, []byte(tc.document))[0]); err != nil {
				t.Errorf("%s\nthe schema rejects it: %v", tc.reason, err)
			}
			if _, err := (spec.Loader{}).Parse("a.yaml", []byte(tc.document)); err != nil {
				t.Errorf("%s\nthe parser rejects it: %v", tc.reason, err)
			}
		})
	}
}

//nolint:lll // one case a line
func TestBad(t *testing.T) {
	compiled := compile(t)
	tests := map[string]struct{ reason, document string }{
		"Version":     {reason: "Another format.", document: "apiVersion: v1\nkind: Scenario\nname: a\nsteps: [{settle: }]"},
		"Kind":        {reason: "Another kind.", document: "apiVersion: cosi-emu/v1alpha1\nkind: Story\nname: a\nsteps: [{settle: }]"},
		"Name":        {reason: "No DNS label.", document: "apiVersion: cosi-emu/v1alpha1\nkind: Scenario\nname: A b\nsteps: [{settle: }]"},
		"NoName":      {reason: "None at all.", document: "apiVersion: cosi-emu/v1alpha1\nkind: Scenario\nsteps: [{settle: }]"},
		"NoSteps":     {reason: "Nothing happens.", document: head},
		"Empty":       {reason: "Nothing, as a list.", document: head + "steps: []"},
		"Unknown":     {reason: "An unknown field.", document: head + "step: [{settle: }]\nsteps: [{settle: }]"},
		"Verb":        {reason: "An unknown verb.", document: head + "steps: [{aply: {}}]"},
		"NoVerb":      {reason: "A name alone.", document: head + "steps: [{name: a}]"},
		"Two":         {reason: "Two verbs.", document: head + "steps: [{mark: a, settle: }]"},
		"Mapping":     {reason: "A step is a mapping.", document: head + "steps: [settle]"},
		"Duration":    {reason: "A number has no unit.", document: head + "steps: [{settle: , timeout: 10}]"},
		"Reference":   {reason: "No kind.", document: head + "steps: [{delete: photos}]"},
		"Expect":      {reason: "No kind.", document: head + "steps: [{expect: {photos: present}}]"},
		"Object":      {reason: "An object without a name.", document: head + "steps: [{apply: {kind: Bucket, metadata: {}}}]"},
		"NoKind":      {reason: "An object without a kind.", document: head + "steps: [{apply: {metadata: {name: a}}}]"},
		"Policy":      {reason: "Not one of two.", document: head + "setup: {classes: [{name: a, deletionPolicy: Keep}]}\nsteps: [{settle: }]"},
		"Protocol":    {reason: "Not one of three.", document: head + "setup: {drivers: [{name: a, protocols: [NFS]}]}\nsteps: [{settle: }]"},
		"Mode":        {reason: "Not one of three.", document: head + "setup: {drivers: [{name: a, accessModes: [Append]}]}\nsteps: [{settle: }]"},
		"Type":        {reason: "Not one of two.", document: head + "setup: {accessClasses: [{name: a, authenticationType: None}]}\nsteps: [{settle: }]"},
		"Driver":      {reason: "A driver without a name.", document: head + "setup: {drivers: [{protocols: [S3]}]}\nsteps: [{settle: }]"},
		"Boolean":     {reason: "Neither true nor false.", document: head + "setup: {drivers: [{name: a, multiBucket: sometimes}]}\nsteps: [{settle: }]"},
		"Seam":        {reason: "There is no such seam.", document: head + "steps: [{calls: {events: [{seam: disk}]}}]"},
		"Count":       {reason: "Not a range.", document: head + "steps: [{calls: {events: [{count: many}]}}]"},
		"NoEvents":    {reason: "Calls of nothing.", document: head + "steps: [{calls: {events: []}}]"},
		"Method":      {reason: "A call of nothing.", document: head + "steps: [{call: {driver: a}}]"},
		"Secret":      {reason: "S3 without a Secret.", document: head + "steps: [{s3: {put: a}}]"},
		"Times":       {reason: "Not a number.", document: head + "steps: [{repeat: {times: often, steps: [{settle: }]}}]"},
		"Fault":       {reason: "A fault without a name.", document: head + "steps: [{inject: {seam: api, fail: '500'}}]"},
		"Crash":       {reason: "Neither before nor after.", document: head + "steps: [{inject: {name: a, seam: api, crash: during}}]"},
		"Reason":      {reason: "An exception without a reason.", document: head + "allow: [{oracle: leak}]\nsteps: [{settle: }]"},
		"Golden":      {reason: "Golden without objects.", document: head + "steps: [{golden: {file: a.yaml}}]"},
		"Command":     {reason: "No program.", document: head + "steps: [{exec: {code: 1}}]"},
		"Inner":       {reason: "In a step within a step.", document: head + "steps: [{parallel: [[{mark: a}], [{sleep: 1s}]]}]"},
		"NoLimit":     {reason: "Nothing could be done.", document: head + "setup: {limits: {steps: 0}}\nsteps: [{settle: }]"},
		"Negative":    {reason: "Less than nothing.", document: head + "setup: {limits: {objects: -1}}\nsteps: [{settle: }]"},
		"NoBytes":     {reason: "Nothing at all.", document: head + "setup: {limits: {putBytes: 0}}\nsteps: [{settle: }]"},
		"Bytes":       {reason: "No unit of Kubernetes.", document: head + "setup: {limits: {putBytes: 5MB}}\nsteps: [{settle: }]"},
		"Limit":       {reason: "An unknown limit.", document: head + "setup: {limits: {step: 5}}\nsteps: [{settle: }]"},
		"Size":        {reason: "Less than nothing.", document: head + "steps: [{s3: {secret: a, put: k, size: -1}}]"},
		"Parameter":   {reason: "None of the driver's.", document: head + "setup: {drivers: [{name: a, parameters: {latencies: 1s}}]}\nsteps: [{settle: }]"},
		"StepsFields": {reason: "A list of steps has no setup.", document: "apiVersion: cosi-emu/v1alpha1\nkind: Steps\nsetup: {}\nsteps: [{settle: }]"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if err := compiled.Validate(documents(t, []byte(tc.document))[0]); err == nil {
				t.Errorf("%s\nthe schema accepts it", tc.reason)
			}
			if _, err := (spec.Loader{}).Parse("a.yaml", []byte(tc.document)); err == nil {
				t.Errorf("%s\nthe parser accepts it", tc.reason)
			}
		})
	}
}
