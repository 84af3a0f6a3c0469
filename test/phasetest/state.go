package phasetest

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/test/cluster"
)

// state is the state of objects on the API server: by object, the text of each field by its path.
type state map[object]map[string]string

// object is an object, as one that Make has created or as the phase has created it.
type object struct {
	gvk schema.GroupVersionKind
	key client.ObjectKey
}

func (o object) String() string { return o.gvk.Kind + " " + o.key.Name }

// read reads the objects of the case.
func (c *Case) read() state {
	c.Helper()
	s := state{}
	for _, made := range c.objects {
		gvk, err := c.GroupVersionKindFor(made)
		c.Must(err)
		c.readInto(s, object{gvk, client.ObjectKeyFromObject(made)})
	}
	return s
}

// readCreated reads the objects that the phase has created.
func (c *Case) readCreated(s state, requests []cluster.Request) {
	c.Helper()
	for _, request := range requests {
		line := strings.Fields(lineOf(request))
		if line[0] != "create" || len(line) != 3 { // it has failed
			continue
		}
		gvk, err := c.suite.mapper.KindFor(schema.GroupVersionResource{Resource: line[1]})
		c.Must(err)
		key := client.ObjectKey{Name: line[2]}
		if strings.Contains(request.Path, "/namespaces/") {
			key.Namespace = c.Namespace
		}
		c.readInto(s, object{gvk, key})
	}
}

// readInto adds an object to the state, if it exists.
func (c *Case) readInto(s state, o object) {
	c.Helper()
	found := &unstructured.Unstructured{}
	found.SetGroupVersionKind(o.gvk)
	err := c.Get(c.Context(), o.key, found)
	if apierrors.IsNotFound(err) {
		return
	}
	c.Must(err)
	fields := map[string]string{}
	flatten(fields, "", found.Object)
	if o.gvk.Kind == "Secret" {
		decode(fields)
	}
	s[o] = fields
}

// ignored are the fields that the API server maintains, and the name.
var ignored = []string{
	"apiVersion", "kind", "metadata.name", "metadata.namespace", "metadata.uid", "metadata.resourceVersion",
	"metadata.creationTimestamp", "metadata.generation", "metadata.managedFields", "metadata.deletionGracePeriodSeconds",
	"status.conditions", // an Outcome has them apart
}

func flatten(into map[string]string, path string, value any) {
	fields, nested := value.(map[string]any)
	switch {
	case slices.Contains(ignored, path):
	case nested:
		for name, field := range fields {
			flatten(into, strings.TrimPrefix(path+"."+name, "."), field)
		}
	case path == "metadata.deletionTimestamp":
		into[path] = "now"
	default:
		into[path] = text(value)
	}
}

// decode shows the data of a Secret as it is.
func decode(fields map[string]string) {
	for path, value := range fields {
		if plain, err := base64.StdEncoding.DecodeString(value); err == nil && strings.HasPrefix(path, "data.") {
			fields[path] = string(plain)
		}
	}
}

func text(value any) string {
	if plain, ok := value.(string); ok && plain != "" {
		return plain
	}
	data, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(data)
}

// changes describes how a state differs from the one before, in sorted lines.
func (s state) changes(before state) []string {
	var lines []string
	for o := range before {
		if _, exists := s[o]; !exists {
			lines = append(lines, o.String()+" is gone")
		}
	}
	for o, fields := range s {
		was := before[o]
		for path := range was {
			if _, exists := fields[path]; !exists {
				lines = append(lines, fmt.Sprintf("%s: %s is removed", o, path))
			}
		}
		for path, value := range fields {
			if old, exists := was[path]; !exists || old != value {
				lines = append(lines, fmt.Sprintf("%s: %s=%s", o, path, value))
			}
		}
	}
	slices.Sort(lines)
	return lines
}

// kindOf returns the kind of a typed object.
func kindOf(object any) string { return reflect.TypeOf(object).Elem().Name() }
