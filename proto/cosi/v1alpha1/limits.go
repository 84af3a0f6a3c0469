package cosi

import (
	"fmt"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// The size limits of the specification, section "Size Limits", for requests and responses.
const (
	// MaxString is the maximum size of a string, in bytes.
	MaxString = 128
	// MaxMap is the maximum size of the keys and values of a map of strings, in bytes.
	MaxMap = 4 << 10
)

// CheckSizes returns an error if a field of a message is larger than the specification allows. The
// error names the field, but not its value, which may be secret.
func CheckSizes(m proto.Message) error { return checkSizes(m.ProtoReflect(), "") }

func checkSizes(m protoreflect.Message, prefix string) (err error) {
	m.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		name := prefix + string(field.Name())
		switch {
		case field.IsMap():
			err = checkMap(field, value.Map(), name)
		case field.Kind() == protoreflect.StringKind:
			if size := len(value.String()); size > MaxString {
				err = fmt.Errorf("%s has %d bytes, more than %d", name, size, MaxString)
			}
		case field.Kind() == protoreflect.MessageKind:
			err = checkSizes(value.Message(), name+".")
		}
		return err == nil
	})
	return err
}

func checkMap(field protoreflect.FieldDescriptor, entries protoreflect.Map, name string) (err error) {
	size, ofStrings := 0, field.MapValue().Kind() == protoreflect.StringKind
	entries.Range(func(key protoreflect.MapKey, value protoreflect.Value) bool {
		if ofStrings {
			size += len(key.String()) + len(value.String())
			return true
		}
		err = checkSizes(value.Message(), name+".")
		return err == nil
	})
	if size > MaxMap {
		return fmt.Errorf("the keys and values of %s have %d bytes, more than %d", name, size, MaxMap)
	}
	return err
}
