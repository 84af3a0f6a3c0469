package redact

import (
	"bytes"
	"encoding/json"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// JSON returns a message in JSON without its secrets, and without white space that
// means nothing, so that equal messages are equal texts; nil if JSON cannot have it.
func JSON(m proto.Message) json.RawMessage {
	data, err := protojson.Marshal(Message(m))
	if err != nil {
		return nil
	}
	var compact bytes.Buffer // protojson varies its white space on purpose
	if json.Compact(&compact, data) != nil {
		return nil
	}
	return compact.Bytes()
}
