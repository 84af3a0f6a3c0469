// Package manifest reads objects from YAML or JSON and applies them to an API server, like `kubectl
// apply --server-side`.
package manifest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/cosi-emu/cosi-emu/internal/drafts"
)

// FieldOwner is the field manager of Apply.
const FieldOwner = "cosi-emu"

// Read returns the objects of a file.
func Read(path string) ([]*unstructured.Unstructured, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	objects, err := Decode(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return objects, nil
}

// IsManifest reports whether a file in a directory of manifests is one, by its name. A
// kustomization is none.
func IsManifest(name string) bool {
	return slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(name)) &&
		name != "kustomization.yaml" && name != "kustomization.yml"
}

// ReadPath returns the objects of a file, or of the manifests in a directory in the order of their
// names. The error lists all problems.
func ReadPath(path string) ([]Located, error) {
	files := []string{path}
	if info, err := os.Stat(path); err != nil {
		return nil, err
	} else if info.IsDir() {
		if files, err = manifestsIn(path); err != nil {
			return nil, err
		}
	}
	var (
		all  []Located
		errs []error
	)
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err == nil {
			var objects []Located
			objects, err = DecodeFile(file, data)
			all = append(all, objects...)
		}
		errs = append(errs, err)
	}
	return all, errors.Join(errs...)
}

// manifestsIn returns the paths of the manifests in a directory, which may have other files.
func manifestsIn(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, entry := range entries {
		if !entry.IsDir() && IsManifest(entry.Name()) {
			files = append(files, filepath.Join(dir, entry.Name()))
		}
	}
	return files, nil
}

// Decode returns the objects of a stream of YAML or JSON documents, including the items of lists.
// Empty documents have none.
func Decode(data []byte) ([]*unstructured.Unstructured, error) {
	var objects []*unstructured.Unstructured
	decoder := utilyaml.NewYAMLOrJSONDecoder(bytes.NewReader(data), len(data))
	for n := 1; ; n++ {
		object := &unstructured.Unstructured{}
		err := decoder.Decode(object)
		switch {
		case errors.Is(err, io.EOF):
			return objects, nil
		case err != nil:
			return nil, fmt.Errorf("document %d: %w", n, err)
		}
		if objects, err = appendItems(objects, object); err != nil {
			return nil, fmt.Errorf("document %d: %w", n, err)
		}
	}
}

// Located is an object with the start of its document: FILE:LINE.
type Located struct {
	*unstructured.Unstructured

	Position string
}

// DecodeFile is Decode for a file whose errors users fix: it rejects duplicate fields, and errors
// start with FILE:LINE. It returns the errors of all documents.
func DecodeFile(file string, data []byte) ([]Located, error) {
	var (
		all  []Located
		errs []error
	)
	for _, document := range Documents(data) {
		objects, err := document.decode()
		if err != nil {
			errs = append(errs, fmt.Errorf("%s:%w", file, err))
			continue
		}
		for _, object := range objects {
			all = append(all, Located{Unstructured: object, Position: fmt.Sprintf("%s:%d", file, document.start)})
		}
	}
	return all, errors.Join(errs...)
}

// Document is a YAML document of a file.
type Document struct {
	// Text is the document, with spaces in place of a separator.
	Text []byte
	// Line is the number of lines before the text.
	Line int

	separated bool
	start     int // the line of its first content
}

// Source returns the document with its separator, as it is in the file.
func (d Document) Source() []byte {
	if !d.separated {
		return d.Text
	}
	return append([]byte(separator), d.Text[len(separator):]...)
}

// Separated reports whether the document starts with a separator.
func (d Document) Separated() bool { return d.separated }

const separator = "---"

// separatorLine is a line that starts a document.
var separatorLine = regexp.MustCompile(`^` + separator + `(?:\s|$)`)

// Documents returns the documents of a file. The first can be empty.
func Documents(data []byte) []Document {
	documents, number := []Document{{}}, 0
	for line := range bytes.Lines(data) {
		if separatorLine.Match(line) {
			documents = append(documents, Document{Line: number, separated: true})
			line = append([]byte("   "), line[len(separator):]...) // the rest of the line belongs to the document
		}
		number++
		last := &documents[len(documents)-1]
		last.Text = append(last.Text, line...)
		if content := bytes.TrimSpace(line); last.start == 0 && len(content) > 0 && content[0] != '#' {
			last.start = number
		}
	}
	return documents
}

var lineOf = regexp.MustCompile(`^(?:error converting YAML to JSON: )?yaml: (?:unmarshal errors:\s+)?line (\d+): `)

// decode returns the objects of a document. The error starts with its line.
func (d Document) decode() ([]*unstructured.Unstructured, error) {
	data, err := yaml.YAMLToJSONStrict(d.Text)
	if err != nil {
		line, text := max(d.start, 1), err.Error()
		if found := lineOf.FindStringSubmatch(text); found != nil {
			in, _ := strconv.Atoi(found[1]) // it is a number
			line, text = d.Line+in, text[len(found[0]):]
		}
		return nil, fmt.Errorf("%d: invalid YAML: %s", line, text)
	}
	if string(data) == "null" {
		return nil, nil
	}
	object := &unstructured.Unstructured{}
	if err := object.UnmarshalJSON(data); err != nil {
		return nil, fmt.Errorf("%d: not a Kubernetes object: %w", d.start, err)
	}
	objects, err := appendItems(nil, object)
	if err != nil {
		return nil, fmt.Errorf("%d: %w", d.start, err)
	}
	return objects, nil
}

// appendItems appends an object, or the items of a list.
func appendItems(objects []*unstructured.Unstructured, object *unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	if len(object.Object) == 0 {
		return objects, nil
	}
	if !object.IsList() {
		return append(objects, object), nil
	}
	list, err := object.ToList()
	if err != nil {
		return nil, err
	}
	for i := range list.Items {
		objects = append(objects, &list.Items[i])
	}
	return objects, nil
}

// Apply applies objects in their order. Objects without a namespace that belong to one go to
// "default". A field that is null counts as absent, as for `kubectl apply` without --server-side,
// with which users apply published manifests.
func Apply(ctx context.Context, c client.Client, objects []*unstructured.Unstructured) error {
	for _, object := range objects {
		if err := setNamespace(c, object); err != nil {
			return fmt.Errorf("apply %s %s: %w", object.GetKind(), client.ObjectKeyFromObject(object), err)
		}
		object = object.DeepCopy()
		removeNulls(object.Object)
		apply := client.ApplyConfigurationFromUnstructured(object)
		if err := c.Apply(ctx, apply, client.FieldOwner(FieldOwner), client.ForceOwnership); err != nil {
			err = drafts.Explain(object, err)
			return fmt.Errorf("apply %s %s: %w", object.GetKind(), client.ObjectKeyFromObject(object), err)
		}
	}
	return nil
}

func removeNulls(value any) {
	switch value := value.(type) {
	case map[string]any:
		maps.DeleteFunc(value, func(_ string, field any) bool { return field == nil })
		for _, field := range value {
			removeNulls(field)
		}
	case []any:
		for _, item := range value {
			removeNulls(item)
		}
	}
}

func setNamespace(c client.Client, object *unstructured.Unstructured) error {
	if object.GetNamespace() != "" {
		return nil
	}
	namespaced, err := c.IsObjectNamespaced(object)
	if err != nil {
		return err
	}
	if namespaced {
		object.SetNamespace(metav1.NamespaceDefault)
	}
	return nil
}
