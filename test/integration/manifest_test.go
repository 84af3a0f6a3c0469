package integration_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/internal/controlplane/controlplanetest"
	"github.com/cosi-emu/cosi-emu/internal/manifest"
)

func TestDecode(t *testing.T) {
	one := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: one}\n"
	two := "apiVersion: v1\nkind: Secret\nmetadata: {name: two, namespace: demo}\n"
	for name, tc := range map[string]struct {
		reason string
		text   string
		want   []string
	}{
		"Nothing":  {"an empty file has no objects", "", nil},
		"Comments": {"nor has one with comments", "# one\n---\n# two\n", nil},
		"One":      {"a document", one, []string{"ConfigMap /one"}},
		"Several": {
			"in their order, empty documents between them",
			"---\n" + one + "---\n\n---\n" + two + "---\n",
			[]string{"ConfigMap /one", "Secret demo/two"},
		},
		"JSON": {"JSON is as good", `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "one"}}`, []string{"ConfigMap /one"}},
		"List": {
			"kubectl get -o yaml prints lists",
			`{"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "one"}}]}`,
			[]string{"ConfigMap /one"},
		},
		"EmptyList": {"a list may be empty", `{"apiVersion": "v1", "kind": "List", "items": []}`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			objects, err := manifest.Decode([]byte(tc.text))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, object := range objects {
				got = append(got, object.GetKind()+" "+client.ObjectKeyFromObject(object).String())
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestDecodeRejects(t *testing.T) {
	good := "apiVersion: v1\nkind: ConfigMap\n---\n"
	for name, text := range map[string]string{
		"NotYAML": good + "a: [\n",
		"NoKind":  good + "apiVersion: v1\n",
		"Scalar":  good + "hello\n",
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := manifest.Decode([]byte(text)); err == nil || !strings.Contains(err.Error(), "document 2") {
				t.Errorf("Decode() = %v, want an error that names the document", err)
			}
		})
	}
}

func TestDecodeFile(t *testing.T) {
	one := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: one}\n"
	for name, tc := range map[string]struct {
		reason string
		text   string
		want   []string
		errs   []string
	}{
		"Nothing":   {"an empty file has no objects", "", nil, nil},
		"Comments":  {"nor has one with comments", "# one\n---\n# two\n---\n", nil, nil},
		"One":       {"a document", one, []string{"f:1 one"}, nil},
		"Several":   {"the line is that of the content", "# a\n---\n# b\n\n" + one + "---\n" + one, []string{"f:5 one", "f:9 one"}, nil},
		"Separator": {"a comment follows it", one + "--- # two\n" + one, []string{"f:1 one", "f:5 one"}, nil},
		"SameLine":  {"the object follows it", "--- {apiVersion: v1, kind: ConfigMap, metadata: {name: one}}\n", []string{"f:1 one"}, nil},
		"CRLF":      {"as some editors write", strings.ReplaceAll(one+"---\n"+one, "\n", "\r\n"), []string{"f:1 one", "f:5 one"}, nil},
		"InText":    {"a separator starts a line", strings.Replace(one, "name: one", "name: one, x: '\n ---\n '", 1), []string{"f:1 one"}, nil},
		"List": {
			"items have the place of their list",
			"kind: List\napiVersion: v1\nitems: [{apiVersion: v1, kind: A, metadata: {name: a}}]\n", []string{"f:1 a"}, nil,
		},
		"JSON":   {"JSON is YAML", `{"apiVersion": "v1", "kind": "A", "metadata": {"name": "a"}}`, []string{"f:1 a"}, nil},
		"Syntax": {"the line is that of the file", one + "---\na: b\nc: [\n", nil, []string{"f:6: invalid YAML"}},
		"Twice":  {"a field is given twice", one + "---\nkind: A\nkind: B\n", nil, []string{"f:6: invalid YAML", "kind"}},
		"NoKind": {"the line is that of the document", one + "---\n\na: b\n", nil, []string{"f:6: not a Kubernetes object"}},
		"All":    {"there are two errors", "a: [\n---\n- b\n", nil, []string{"f:1: invalid YAML", "f:3: not a Kubernetes object"}},
	} {
		t.Run(name, func(t *testing.T) {
			objects, err := manifest.DecodeFile("f", []byte(tc.text))
			if (err != nil) != (tc.errs != nil) {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			for _, want := range tc.errs {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%s: error %q, want one with %q", tc.reason, err, want)
				}
			}
			var got []string
			for _, object := range objects {
				got = append(got, object.Position+" "+object.GetName())
			}
			if diff := cmp.Diff(tc.want, got); diff != "" && tc.errs == nil {
				t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.yaml")
	if _, err := manifest.Read(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Read of nothing: %v", err)
	}
	if err := os.WriteFile(path, []byte("a: ["), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := manifest.Read(path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("Read() = %v, want an error that names the file", err)
	}
}

func TestApplyManifest(t *testing.T) {
	plane := controlplanetest.Start(t)
	c, err := client.New(plane.AdminConfig(), client.Options{Scheme: clientgoscheme.Scheme})
	if err != nil {
		t.Fatal(err)
	}
	namespace := controlplanetest.Namespace(t)
	apply := func(text string) error {
		t.Helper()
		objects, err := manifest.Decode([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return manifest.Apply(t.Context(), c, objects)
	}
	values := func(namespace string) map[string]string {
		t.Helper()
		object := &corev1.ConfigMap{}
		if err := c.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: "manifest-test"}, object); err != nil {
			t.Fatal(err)
		}
		return object.Data
	}
	object := func(namespace, data string) string {
		return `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "manifest-test"` + namespace + `}, "data": ` + data + `}`
	}
	inNamespace := `, "namespace": "` + namespace + `"`

	for _, data := range []string{`{"a": "1", "b": "1"}`, `{"b": "2"}`} {
		if err := apply(object(inNamespace, data)); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(map[string]string{"b": "2"}, values(namespace)); diff != "" {
		t.Errorf("what is applied again replaces what was: -want, +got:\n%s", diff)
	}

	if err := apply(object("", `{"c": "3"}`)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"c": "3"}, values("default")); diff != "" {
		t.Errorf("an object that names no namespace: -want, +got:\n%s", diff)
	}

	err = apply(object(inNamespace, `{"not a key": "1"}`))
	if !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), "ConfigMap "+namespace+"/manifest-test") {
		t.Errorf("Apply of an invalid object: %v", err)
	}
	if err := apply(`{"apiVersion": "example.com/v1", "kind": "Unknown", "metadata": {"name": "x"}}`); !meta.IsNoMatchError(err) {
		t.Errorf("Apply of an unknown kind: %v", err)
	}
}
