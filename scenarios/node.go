package scenarios

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"time"

	"go.yaml.in/yaml/v3"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// node returns the YAML of a value: Fields, lists, the arguments of verbs, Kubernetes objects, and
// every other value that JSON can represent.
func node(value any) (*yaml.Node, error) {
	switch v := value.(type) {
	case nil:
		return scalar("!!null", "null"), nil
	case *yaml.Node:
		return v, nil
	case word:
		return scalar("!!str", string(v)), nil
	case condition:
		return mapping(pair{"cel", text(string(v))}), nil
	case time.Duration:
		return text(duration(v)), nil
	case client.Object:
		fields, err := fieldsOf(v)
		if err != nil {
			return nil, err
		}
		return node(fields)
	}
	return reflected(reflect.ValueOf(value))
}

func reflected(v reflect.Value) (*yaml.Node, error) {
	switch v.Kind() { //nolint:exhaustive // the others cannot be written
	case reflect.String:
		return text(v.String()), nil
	case reflect.Bool:
		return scalar("!!bool", strconv.FormatBool(v.Bool())), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return scalar("!!int", strconv.FormatInt(v.Int(), 10)), nil
	case reflect.Float32, reflect.Float64:
		return scalar("!!float", strconv.FormatFloat(v.Float(), 'g', -1, 64)), nil
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return node(nil)
		}
		return node(v.Elem().Interface())
	case reflect.Slice, reflect.Array:
		return list(v)
	case reflect.Map:
		return dictionary(v)
	case reflect.Struct:
		return structure(v)
	}
	return nil, fmt.Errorf("unsupported type %s", v.Type())
}

func list(v reflect.Value) (*yaml.Node, error) {
	n := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	for i := range v.Len() {
		item, err := node(v.Index(i).Interface())
		if err != nil {
			return nil, err
		}
		n.Content = append(n.Content, item)
	}
	return n, nil
}

func dictionary(v reflect.Value) (*yaml.Node, error) {
	if v.Type().Key().Kind() != reflect.String {
		return nil, fmt.Errorf("unsupported type %s: map keys must be strings", v.Type())
	}
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int {
		if a.String() < b.String() {
			return -1
		}
		return 1
	})
	n := mapping()
	for _, key := range keys {
		value, err := node(v.MapIndex(key).Interface())
		if err != nil {
			return nil, err
		}
		n.Content = append(n.Content, text(key.String()), value)
	}
	return n, nil
}

// structure translates the arguments of verbs by their yaml tags, without zero values, and
// everything else as JSON.
func structure(v reflect.Value) (*yaml.Node, error) {
	n, ours := mapping(), false
	for _, f := range reflect.VisibleFields(v.Type()) {
		name := f.Tag.Get("yaml")
		if name == "" {
			continue
		}
		ours = true
		if v.FieldByIndex(f.Index).IsZero() {
			continue
		}
		value, err := node(v.FieldByIndex(f.Index).Interface())
		if err != nil {
			return nil, err
		}
		n.Content = append(n.Content, text(name), value)
	}
	if ours {
		return n, nil
	}
	body, err := json.Marshal(v.Interface())
	if err != nil {
		return nil, err
	}
	var decoded any
	if err := json.Unmarshal(body, &decoded); err != nil {
		return nil, err
	}
	return node(decoded)
}

// pair is a key and its value.
type pair struct {
	key   string
	value *yaml.Node
}

func mapping(pairs ...pair) *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	for _, p := range pairs {
		n.Content = append(n.Content, text(p.key), p.value)
	}
	return n
}

func scalar(tag, value string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: value}
}

// text is always quoted, so that it is never a keyword of the format.
func text(value string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Style: yaml.DoubleQuotedStyle, Value: value}
}
