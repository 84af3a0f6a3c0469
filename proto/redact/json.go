package redact

import (
	"bytes"
	"encoding/json"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// JSON returns a message in JSON without its secrets, and without insignificant white space, so
// that equal messages are equal texts; nil if the message cannot be represented in JSON.
func JSON(m proto.Message) json.RawMessage {
	data, err := protojson.Marshal(Message(m))
	if err != nil {
		return nil
	}
	var compact bytes.Buffer // protojson varies its white space deliberately
	if json.Compact(&compact, data) != nil {
		return nil
	}
	return compact.Bytes()
}
