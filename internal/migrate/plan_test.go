package migrate_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/manifest"
	"github.com/cosi-emu/cosi-emu/internal/migrate"
)

var update = flag.Bool("update", false, "write the golden files")

// cases are the inputs in testdata, with the options of their translation.
var cases = map[string]struct {
	input   string
	options migrate.Options
}{
	"ordinary":  {"ordinary", migrate.Options{SecretSuffix: migrate.DefaultSecretSuffix}},
	"same-name": {"ordinary", migrate.Options{NativeDrivers: []string{"s3.example.com"}}},
	"ids":       {"ids", migrate.Options{SecretSuffix: migrate.DefaultSecretSuffix, NativeDrivers: []string{"native.example.com"}}},
	"decisions": {"decisions", migrate.Options{SecretSuffix: migrate.DefaultSecretSuffix}},
	"manifests": {"manifests", migrate.Options{SecretSuffix: migrate.DefaultSecretSuffix}},
}

func decode(t *testing.T, file string) []manifest.Located {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	objects, err := manifest.DecodeFile(filepath.Base(file), data)
	if err != nil {
		t.Fatal(err)
	}
	return objects
}

func planOf(t *testing.T, name string) *migrate.Plan {
	t.Helper()
	inventory, err := migrate.Load(decode(t, filepath.Join("testdata", cases[name].input+".yaml")))
	if err != nil {
		t.Fatal(err)
	}
	return inventory.Plan(cases[name].options)
}

func yamlOf(t *testing.T, plan *migrate.Plan) string {
	t.Helper()
	var page bytes.Buffer
	if err := plan.WriteYAML(&page); err != nil {
		t.Fatal(err)
	}
	return page.String()
}

func TestPlan(t *testing.T) {
	for name := range cases {
		t.Run(name, func(t *testing.T) {
			got, golden := yamlOf(t, planOf(t, name)), filepath.Join("testdata", name+".golden.yaml")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("-want, +got; 'go test ./internal/migrate -update' writes it:\n%s", diff)
			}
		})
	}
}

// TestPlanIsStable: the output has an order, although maps have none.
func TestPlanIsStable(t *testing.T) {
	for name := range cases {
		want := yamlOf(t, planOf(t, name))
		for range 20 {
			if diff := cmp.Diff(want, yamlOf(t, planOf(t, name))); diff != "" {
				t.Fatalf("%s: two translations differ:\n%s", name, diff)
			}
		}
	}
}

// TestJSON: the output is a List with the same objects as the YAML.
func TestJSON(t *testing.T) {
	plan := planOf(t, "ordinary")
	data, err := json.Marshal(plan)
	if err != nil {
		t.Fatal(err)
	}
	fromJSON, err := manifest.DecodeFile("json", data)
	if err != nil {
		t.Fatal(err)
	}
	fromYAML, err := manifest.DecodeFile("yaml", []byte(yamlOf(t, plan)))
	if err != nil {
		t.Fatal(err)
	}
	if len(fromJSON) != 7 || len(fromYAML) != len(fromJSON) {
		t.Fatalf("%d objects in JSON, %d in YAML, want 7", len(fromJSON), len(fromYAML))
	}
	for i := range fromJSON {
		if diff := cmp.Diff(fromYAML[i].Object, fromJSON[i].Object); diff != "" {
			t.Errorf("-yaml, +json:\n%s", diff)
		}
	}
	var list struct {
		Decisions []migrate.Decision `json:"decisions"`
		Accounts  []migrate.Account  `json:"accounts"`
	}
	if err := json.Unmarshal(data, &list); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(plan.Decisions, list.Decisions); diff != "" {
		t.Errorf("decisions (-want +got):\n%s", diff)
	}
	want := []migrate.Account{
		{
			Namespace: "demo", Name: "app", DriverName: "s3.example.com", BucketID: "bucket-0001", AccountID: "ba-0001",
			OldSecret: "app-credentials", NewSecret: "app-credentials-v1alpha2",
		},
		{
			Namespace: "demo", Name: "job", DriverName: "s3.example.com", BucketID: "bucket-0001", AccountID: "ba-0002",
			OldSecret: "job", NewSecret: "job-v1alpha2",
		},
	}
	if diff := cmp.Diff(want, list.Accounts); diff != "" {
		t.Errorf("accounts (-want +got):\n%s", diff)
	}
}

// TestComments: text of objects cannot end a comment and become YAML.
func TestComments(t *testing.T) {
	objects := decode(t, "testdata/ordinary.yaml")
	for _, object := range objects {
		if status, _ := object.Object["status"].(map[string]any); status["accountID"] != nil {
			status["accountID"] = "a\n---\nkind: Evil\t\u2028"
		}
		if object.GetKind() == "BucketClass" {
			object.Object["deletionPolicy"] = "x\nkind: Evil"
		}
	}
	inventory, err := migrate.Load(objects)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(yamlOf(t, inventory.Plan(migrate.Options{SecretSuffix: "-x"}))) {
		if strings.Contains(line, "Evil") && !strings.HasPrefix(line, "# ") {
			t.Errorf("a line that is no comment: %q", line)
		}
	}
}

// TestCodes: each code is in a golden file, and in the documents.
func TestCodes(t *testing.T) {
	page, err := os.ReadFile("../../docs/migrating.md")
	if err != nil {
		t.Fatal(err)
	}
	plans := []*migrate.Plan{planOfTooMany(t)}
	for name := range cases {
		plans = append(plans, planOf(t, name))
	}
	seen := map[migrate.Code]bool{}
	for _, plan := range plans {
		for _, decision := range plan.Decisions {
			seen[decision.Code] = true
			if !slices.Contains(migrate.Codes(), decision.Code) {
				t.Errorf("code %s is not in the list", decision.Code)
			}
		}
	}
	for _, code := range migrate.Codes() {
		if !seen[code] {
			t.Errorf("no golden file has code %s", code)
		}
		if !strings.Contains(string(page), "| `"+string(code)+"` |") {
			t.Errorf("docs/migrating.md has no row for code %s", code)
		}
	}
}

// planOfTooMany plans a class with more parameters than v1alpha2 allows.
func planOfTooMany(t *testing.T) *migrate.Plan {
	t.Helper()
	class := "apiVersion: objectstorage.k8s.io/v1alpha1\nkind: BucketClass\nmetadata: {name: gold}\ndriverName: d.example.com\nparameters:\n"
	for i := range 513 {
		class += fmt.Sprintf("  p%d: v\n", i)
	}
	objects, err := manifest.DecodeFile("in.yaml", []byte(class))
	if err != nil {
		t.Fatal(err)
	}
	inventory, err := migrate.Load(objects)
	if err != nil {
		t.Fatal(err)
	}
	return inventory.Plan(migrate.Options{})
}

func TestLoadRejects(t *testing.T) {
	const (
		class = "apiVersion: objectstorage.k8s.io/v1alpha1\nkind: BucketClass\nmetadata: {name: gold}\ndriverName: d\ndeletionPolicy: Retain\n"
		claim = "apiVersion: objectstorage.k8s.io/v1alpha1\nkind: BucketClaim\n"
	)
	for name, tc := range map[string]struct {
		text string
		says []string
	}{
		"Empty":     {"", []string{"no COSI objects"}},
		"Comments":  {"# nothing\n---\n", []string{"no COSI objects"}},
		"EmptyList": {"apiVersion: v1\nkind: List\nitems: []\n", []string{"no COSI objects"}},
		"Syntax":    {class + "---\n# two\na: 1\nb: [\n", []string{"in.yaml:9: invalid YAML"}},
		"Tab":       {class + "---\na:\n\tb: 1\n", []string{"in.yaml:8: invalid YAML"}},
		"TwoKeys":   {class + "driverName: e\n", []string{"in.yaml:6: invalid YAML", "driverName"}},
		"Scalar":    {class + "--- hello\n", []string{"in.yaml:6: not a Kubernetes object"}},
		"NoKind":    {"a: b\n", []string{"in.yaml:1: not a Kubernetes object"}},
		"NotCOSI": {
			class + "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {namespace: demo, name: x}\n",
			[]string{"in.yaml:7: ConfigMap demo/x: it is not an object of COSI"},
		},
		"OtherKind": {
			"apiVersion: objectstorage.k8s.io/v1alpha1\nkind: Bukket\nmetadata: {name: x}\n",
			[]string{"in.yaml:1: Bukket x: COSI has no such kind"},
		},
		"Mixed": {
			class + "---\napiVersion: objectstorage.k8s.io/v1alpha2\nkind: BucketClass\nmetadata: {name: x}\nspec: {}\n",
			[]string{"in.yaml:7: BucketClass x: it is of v1alpha2 already"},
		},
		"OtherVersion": {
			"apiVersion: objectstorage.k8s.io/v1\nkind: BucketClass\nmetadata: {name: x}\n", []string{`version "v1" is not known`},
		},
		"NoNamespace":  {claim + "metadata: {name: x}\nspec: {protocols: []}\n", []string{"BucketClaim x: it has no metadata.namespace"}},
		"NoName":       {claim + "metadata: {namespace: demo}\n", []string{"metadata.name"}},
		"InvalidName":  {strings.Replace(class, "gold", "Gold", 1), []string{"BucketClass Gold: metadata.name"}},
		"UnknownField": {class + "spec: {tier: gold}\n", []string{"in.yaml:1: BucketClass gold", `unknown field "spec"`}},
		"WrongType":    {strings.Replace(class, "Retain", "[Retain]", 1), []string{"in.yaml:1: BucketClass gold"}},
		"Differs": {
			class + "---\n" + strings.Replace(class, "Retain", "Delete", 1),
			[]string{"in.yaml:7: BucketClass gold: it differs from the object of that name at in.yaml:1"},
		},
		"All": {
			class + "---\nkind: x\na: [\n---\napiVersion: v1\nkind: Pod\n---\n- 1\n",
			[]string{"in.yaml:8: invalid YAML", "in.yaml:13: not a Kubernetes object"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			objects, err := manifest.DecodeFile("in.yaml", []byte(tc.text))
			if err == nil {
				_, err = migrate.Load(objects)
			}
			if err == nil {
				t.Fatal("no error")
			}
			for _, want := range tc.says {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q, want one with %q", err, want)
				}
			}
		})
	}
}

func TestLoadRepeated(t *testing.T) {
	objects := decode(t, "testdata/ordinary.yaml")
	inventory, err := migrate.Load(append(objects, decode(t, "testdata/ordinary.yaml")...))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(yamlOf(t, planOf(t, "ordinary")), yamlOf(t, inventory.Plan(cases["ordinary"].options))); diff != "" {
		t.Error(diff)
	}
}

func TestOptions(t *testing.T) {
	for _, tc := range []struct {
		suffix string
		valid  bool
	}{{"", true}, {"-v1alpha2", true}, {".new", true}, {"_", false}, {"-", false}, {" x", false}} {
		if err := (migrate.Options{SecretSuffix: tc.suffix}).Validate(); (err == nil) != tc.valid {
			t.Errorf("suffix %q: %v", tc.suffix, err)
		}
	}
}

// TestSetNamespace: manifests without a namespace, as published ones are, belong together. The namespace
// of a static Bucket's claim is set, too.
func TestSetNamespace(t *testing.T) {
	objects, err := manifest.DecodeFile("in.yaml", []byte(`apiVersion: objectstorage.k8s.io/v1alpha1
kind: Bucket
metadata: {name: legacy}
spec: {driverName: old.example.com, bucketClaim: {}, existingBucketID: legacy, deletionPolicy: Retain, protocols: [S3]}
---
apiVersion: objectstorage.k8s.io/v1alpha1
kind: BucketClaim
metadata: {name: photos}
spec: {existingBucketName: legacy, protocols: [S3]}
---
apiVersion: objectstorage.k8s.io/v1alpha1
kind: BucketClaim
metadata: {name: photos, namespace: other}
spec: {bucketClassName: gold, protocols: [S3]}
`))
	if err != nil {
		t.Fatal(err)
	}
	if changed := migrate.SetNamespace(objects, "demo"); changed != 1 {
		t.Errorf("SetNamespace() = %d, want 1: a Bucket has none, and the second claim has one", changed)
	}
	inventory, err := migrate.Load(objects)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := inventory.Plan(migrate.Options{}).WriteYAML(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"bucketClaimRef:\n    name: photos\n    namespace: demo"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the plan lacks %q:\n%s", want, &text)
		}
	}
}
