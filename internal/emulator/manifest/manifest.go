// Package manifest reads objects from YAML or JSON and applies them to an API
// server, the way `kubectl apply --server-side` does.
package manifest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

// FieldOwner is the field manager of what is applied.
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

// Decode returns the objects of a stream of YAML or JSON documents: the items of
// those that are lists, nothing for those that are empty.
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

// Located is an object, and where its document starts: FILE:LINE.
type Located struct {
	*unstructured.Unstructured

	Position string
}

// DecodeFile is Decode for a file whose errors people mend: it rejects a field that is given
// twice, and errors start with FILE:LINE. It returns the errors of all documents.
func DecodeFile(file string, data []byte) ([]Located, error) {
	var (
		all  []Located
		errs []error
	)
	for _, document := range split(data) {
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

// document is a YAML document of a file.
type document struct {
	text []byte
	// line is the number of lines before the text, start the line of its first content.
	line, start int
}

// separator is a line that starts a document.
var separator = regexp.MustCompile(`^---(?:\s|$)`)

func split(data []byte) []document {
	documents, number := []document{{}}, 0
	for line := range bytes.Lines(data) {
		if separator.Match(line) {
			documents = append(documents, document{line: number})
			line = append([]byte("   "), line[3:]...) // what follows belongs to the document
		}
		number++
		last := &documents[len(documents)-1]
		last.text = append(last.text, line...)
		if content := bytes.TrimSpace(line); last.start == 0 && len(content) > 0 && content[0] != '#' {
			last.start = number
		}
	}
	return documents
}

// lineOf matches the place in an error of the YAML library.
var lineOf = regexp.MustCompile(`^(?:error converting YAML to JSON: )?yaml: (?:unmarshal errors:\s+)?line (\d+): `)

// decode returns the objects of a document. The error starts with its line.
func (d document) decode() ([]*unstructured.Unstructured, error) {
	data, err := yaml.YAMLToJSONStrict(d.text)
	if err != nil {
		line, text := max(d.start, 1), err.Error()
		if found := lineOf.FindStringSubmatch(text); found != nil {
			in, _ := strconv.Atoi(found[1]) // it is a number
			line, text = d.line+in, text[len(found[0]):]
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

// Apply applies objects in their order. Those that belong to a namespace and do
// not name it go to "default". A field that is null counts as absent, as for `kubectl apply`
// without --server-side, which is how people apply what is published.
func Apply(ctx context.Context, c client.Client, objects []*unstructured.Unstructured) error {
	for _, object := range objects {
		if err := setNamespace(c, object); err != nil {
			return fmt.Errorf("apply %s %s: %w", object.GetKind(), client.ObjectKeyFromObject(object), err)
		}
		object = object.DeepCopy()
		removeNulls(object.Object)
		apply := client.ApplyConfigurationFromUnstructured(object)
		if err := c.Apply(ctx, apply, client.FieldOwner(FieldOwner), client.ForceOwnership); err != nil {
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
