// Package redact removes secrets from protocol messages before they are
// logged, recorded or shown. A field is secret if it has the option cosi_secret in the
// .proto files.
package redact

import (
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// Placeholder stands where a secret was.
const Placeholder = "***redacted***"

// Message returns a copy of a message with the value of every non-empty field
// marked cosi_secret replaced: strings and bytes by Placeholder, anything else
// removed. It is safe for concurrent use; the message itself is not changed.
func Message(m proto.Message) proto.Message {
	if m == nil || !m.ProtoReflect().IsValid() {
		return m
	}
	clone := proto.Clone(m)
	redact(clone.ProtoReflect())
	return clone
}

// Secrets returns the texts of a message in fields marked cosi_secret, except empty ones.
func Secrets(m proto.Message) []string {
	if m == nil || !m.ProtoReflect().IsValid() {
		return nil
	}
	var found []string
	walk(m.ProtoReflect(), func(_ protoreflect.Message, field protoreflect.FieldDescriptor, value protoreflect.Value) {
		switch field.Kind() {
		case protoreflect.StringKind:
			found = append(found, value.String())
		case protoreflect.BytesKind:
			found = append(found, string(value.Bytes()))
		default: // other kinds are removed, and have no text to look for
		}
	})
	return found
}

func redact(m protoreflect.Message) {
	walk(m, func(m protoreflect.Message, field protoreflect.FieldDescriptor, _ protoreflect.Value) { hide(m, field) })
}

// walk visits the fields of a message that are secret.
func walk(m protoreflect.Message, visit func(protoreflect.Message, protoreflect.FieldDescriptor, protoreflect.Value)) {
	m.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		switch {
		case isSecret(field):
			visit(m, field, value)
		case field.IsMap():
			if field.MapValue().Message() != nil {
				value.Map().Range(func(_ protoreflect.MapKey, v protoreflect.Value) bool {
					walk(v.Message(), visit)
					return true
				})
			}
		case field.Message() == nil:
		case field.IsList():
			for i := range value.List().Len() {
				walk(value.List().Get(i).Message(), visit)
			}
		default:
			walk(value.Message(), visit)
		}
		return true
	})
}

func isSecret(field protoreflect.FieldDescriptor) bool {
	options, ok := field.Options().(*descriptorpb.FieldOptions)
	if !ok {
		return false
	}
	secret, ok := proto.GetExtension(options, cosiv1alpha2.E_CosiSecret).(bool)
	return ok && secret
}

func hide(m protoreflect.Message, field protoreflect.FieldDescriptor) {
	if field.IsList() || field.IsMap() {
		m.Clear(field)
		return
	}
	switch field.Kind() {
	case protoreflect.StringKind:
		m.Set(field, protoreflect.ValueOfString(Placeholder))
	case protoreflect.BytesKind:
		m.Set(field, protoreflect.ValueOfBytes([]byte(Placeholder)))
	default:
		m.Clear(field)
	}
}
