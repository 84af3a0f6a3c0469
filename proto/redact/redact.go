// Package redact removes secrets from protocol messages before they are
// logged, recorded or shown. A field is secret if it has the option cosi_secret in the
// .proto files.
package redact

import (
	"strings"
	"sync"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	cosiv1alpha1 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha1"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// Placeholder replaces a secret.
const Placeholder = "***redacted***"

// Message returns a copy of a message in which every non-empty field marked cosi_secret is
// replaced: strings, bytes and the secret values of maps by Placeholder; other values are removed.
// It is safe for concurrent use, and does not change the message.
func Message(m proto.Message) proto.Message {
	if m == nil || !m.ProtoReflect().IsValid() {
		return m
	}
	clone := proto.Clone(m)
	redact(clone.ProtoReflect())
	return clone
}

// Secrets returns the non-empty texts of fields marked cosi_secret. Drivers of v1alpha1 also return
// keys that the protocol does not define: such a value is not secret if an open field of the message
// or of its request has it, such as the name of the bucket.
func Secrets(m proto.Message, request ...proto.Message) []string {
	if m == nil || !m.ProtoReflect().IsValid() {
		return nil
	}
	var found []string
	open := openTexts(append(request, m)...)
	walk(m.ProtoReflect(), func(_ protoreflect.Message, field protoreflect.FieldDescriptor, value protoreflect.Value) {
		switch {
		case isTextMap(field):
			value.Map().Range(func(key protoreflect.MapKey, v protoreflect.Value) bool {
				if isSecretValue(key.String(), v.String(), open) {
					found = append(found, v.String())
				}
				return true
			})
		case field.IsList(), field.IsMap(): // removed; it has no text to search for
		case field.Kind() == protoreflect.StringKind:
			found = append(found, value.String())
		case field.Kind() == protoreflect.BytesKind:
			found = append(found, string(value.Bytes()))
		}
	})
	return found
}

func isSecretValue(key, value string, open func(string) bool) bool {
	if value == "" || !cosiv1alpha1.IsSecretKey(key) {
		return false
	}
	return cosiv1alpha1.IsKnownKey(key) || !open(value)
}

// openTexts returns a function that reports whether an open field of one of the messages has a text.
func openTexts(messages ...proto.Message) func(string) bool {
	texts := sync.OnceValue(func() string {
		var all strings.Builder
		for _, m := range messages {
			all.Write(JSON(m))
		}
		return all.String()
	})
	return func(text string) bool { return strings.Contains(texts(), text) }
}

func redact(m protoreflect.Message) {
	walk(m, func(m protoreflect.Message, field protoreflect.FieldDescriptor, _ protoreflect.Value) { hide(m, field) })
}

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
	// Both generations have the same number for the option, but their own types.
	for _, option := range []protoreflect.ExtensionType{cosiv1alpha1.E_CosiSecret, cosiv1alpha2.E_CosiSecret} {
		if secret, ok := proto.GetExtension(options, option).(bool); ok && secret {
			return true
		}
	}
	return false
}

func isTextMap(field protoreflect.FieldDescriptor) bool {
	return field.IsMap() && field.MapKey().Kind() == protoreflect.StringKind && field.MapValue().Kind() == protoreflect.StringKind
}

func hide(m protoreflect.Message, field protoreflect.FieldDescriptor) {
	if isTextMap(field) {
		values := m.Mutable(field).Map()
		values.Range(func(key protoreflect.MapKey, v protoreflect.Value) bool {
			if cosiv1alpha1.IsSecretKey(key.String()) && v.String() != "" {
				values.Set(key, protoreflect.ValueOfString(Placeholder))
			}
			return true
		})
		return
	}
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
