package definitions_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/apis/crds"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/internal/definitions"
)

func ours(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	entries, err := fs.ReadDir(crds.Manifests(), ".")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		data, err := fs.ReadFile(crds.Manifests(), entry.Name())
		if err != nil {
			t.Fatal(err)
		}
		files[entry.Name()] = string(data)
	}
	return files
}

func directory(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestRead(t *testing.T) {
	files := ours(t)
	var all strings.Builder
	for _, text := range files {
		all.WriteString("---\n" + text)
	}
	files["kustomization.yaml"] = "resources: [all]\n"
	const namespace = "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: cosi}\n"
	files["README.md"] = "not YAML: ["
	for name, path := range map[string]string{
		"Directory":    directory(t, files),
		"File":         filepath.Join(directory(t, map[string]string{"all.txt": all.String()}), "all.txt"),
		"Installation": directory(t, map[string]string{"all.yml": all.String() + namespace}),
	} {
		t.Run(name, func(t *testing.T) {
			read, err := definitions.Read(path, objectstorage.V1alpha2)
			if err != nil {
				t.Fatal(err)
			}
			differences, err := definitions.Differences(read, objectstorage.V1alpha2)
			if diff := cmp.Diff([]string(nil), differences); len(read) != 5 || diff != "" || err != nil {
				t.Errorf("%d definitions, error %v, differences -want, +got:\n%s", len(read), err, diff)
			}
		})
	}
}

func TestReadRejects(t *testing.T) {
	const claims = "objectstorage.k8s.io_bucketclaims.yaml"
	for name, tc := range map[string]struct {
		reason string
		change func(files map[string]string)
		want   []string
	}{
		"Empty": {"a directory of other files", func(files map[string]string) { clear(files) }, []string{"has no CustomResourceDefinition"}},
		"Missing": {
			"a kind is missing", func(files map[string]string) { delete(files, claims) },
			[]string{"definitions of bucketclaims.objectstorage.k8s.io are missing"},
		},
		"Twice": {
			"a kind is there twice", func(files map[string]string) { files["more.yaml"] = files[claims] },
			[]string{"2 definitions of bucketclaims.objectstorage.k8s.io"},
		},
		"Syntax": {"a file is no YAML", func(files map[string]string) { files["bad.yaml"] = "a: [\n" }, []string{"bad.yaml:1: invalid YAML"}},
		"Group": {
			"a definition is not COSI's",
			func(files map[string]string) {
				files[claims] = strings.Replace(files[claims], "group: objectstorage.k8s.io", "group: example.com", 1)
			},
			[]string{claims + ":2: ", `is of group "example.com", and must be of objectstorage.k8s.io`},
		},
		"Version": {
			"a definition serves another version",
			func(files map[string]string) {
				files[claims] = strings.Replace(files[claims], "name: v1alpha2", "name: v1beta1", 1)
			},
			[]string{claims + ":2: ", "does not serve version v1alpha2"},
		},
		"APIVersion": {
			"the definition itself is of an old version",
			func(files map[string]string) {
				files[claims] = strings.Replace(files[claims], "apiextensions.k8s.io/v1", "apiextensions.k8s.io/v1beta1", 1)
			},
			[]string{claims + ":2: ", "must have apiextensions.k8s.io/v1"},
		},
		"UnknownField": {
			"a field is misspelt",
			func(files map[string]string) { files[claims] = strings.Replace(files[claims], "scope:", "scoop:", 1) },
			[]string{claims + ":2: ", "scoop"},
		},
		"AllErrors": {
			"there are two",
			func(files map[string]string) { files["bad.yaml"], files["worse.yaml"] = "a: [\n", "b: {\n" },
			[]string{"bad.yaml:1", "worse.yaml:1"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			files := ours(t)
			tc.change(files)
			_, err := definitions.Read(directory(t, files), objectstorage.V1alpha2)
			for _, want := range tc.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%s: error %v, want one with %q", tc.reason, err, want)
				}
			}
		})
	}
}

func TestTracker(t *testing.T) {
	all, err := crds.All()
	if err != nil {
		t.Fatal(err)
	}
	tracker := &definitions.Tracker{Version: objectstorage.V1alpha2, OwnComponents: true}
	for _, definition := range all {
		if tracker.See(definition) {
			t.Errorf("%s differs from itself", definition.Name)
		}
	}
	other := all[0].DeepCopy()
	other.Spec.Group = "example.com"
	if tracker.See(other) || tracker.Warning() != "" {
		t.Errorf("a definition of another group has the warning %q", tracker.Warning())
	}
	foreign := all[0].DeepCopy()
	delete(foreign.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties, "spec")
	if !tracker.See(foreign) || tracker.See(foreign) {
		t.Error("See does not report one change")
	}
	want := "the CustomResourceDefinitions are of another draft of v1alpha2: " + foreign.Name +
		" lacks spec; the API server drops these fields from what controller and sidecar write; " + definitions.HowToReplace
	if diff := cmp.Diff(want, tracker.Warning()); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	if !tracker.See(all[0]) || tracker.Warning() != "" {
		t.Errorf("after the definition is back, the warning is %q", tracker.Warning())
	}
}
