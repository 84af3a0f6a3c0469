package spec

import (
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/cosi-emu/cosi-emu/internal/suggest"
)

// message checks that a value has only fields of a message of the protocol. The values of the
// fields may still be unknown.
func (v *validation) message(value *Value, kind protoreflect.MessageDescriptor) {
	for i := range value.Fields {
		field := &value.Fields[i]
		if !field.Key.IsZero() {
			continue
		}
		known := fieldNamed(kind, field.Name)
		if known == nil {
			v.decoder.fail(field.Position, "unknown field %q of %s: %s", field.Name, kind.Name(), suggest.From(field.Name, fieldNames(kind)))
			continue
		}
		if known.Message() == nil || known.IsMap() {
			continue
		}
		v.message(&field.Value, known.Message())
		for j := range field.Value.Items {
			v.message(&field.Value.Items[j], known.Message())
		}
	}
}

// fieldNamed finds a field by its name in JSON, or in the protocol's definition.
func fieldNamed(kind protoreflect.MessageDescriptor, name string) protoreflect.FieldDescriptor {
	if found := kind.Fields().ByJSONName(name); found != nil {
		return found
	}
	return kind.Fields().ByTextName(name)
}

func fieldNames(kind protoreflect.MessageDescriptor) []string {
	var names []string
	for i := range kind.Fields().Len() {
		names = append(names, kind.Fields().Get(i).JSONName())
	}
	return names
}
