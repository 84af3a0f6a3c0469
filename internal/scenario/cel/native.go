package cel

import (
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/structpb"
)

// native converts a result to the types of JSON.
func native(result ref.Val) (any, error) {
	switch v := result.(type) {
	case types.Bool:
		return bool(v), nil
	case types.String:
		return string(v), nil
	case types.Int:
		return int64(v), nil
	case types.Double:
		return float64(v), nil
	case types.Null:
		return nil, nil
	}
	converted, err := result.ConvertToNative(reflect.TypeFor[*structpb.Value]())
	if err != nil {
		return nil, fmt.Errorf("unsupported result type %s: %w", result.Type().TypeName(), err)
	}
	message, _ := converted.(*structpb.Value)
	encoded, err := protojson.Marshal(message)
	if err != nil {
		return nil, err
	}
	var value any
	err = json.Unmarshal(encoded, &value)
	return value, err
}
