package fault

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	cosiv1alpha1 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha1"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// checkFields finds fields that the response of the method has in no generation of the protocol: a
// fault is not specific to one.
func (f Fault) checkFields() string {
	if len(f.Effect.Set) == 0 {
		return ""
	}
	responses := responsesOf(f.Match.Operation)
	if len(responses) == 0 {
		return fmt.Sprintf("set needs an operation that is a method of the driver, such as DriverCreateBucket, not %q", f.Match.Operation)
	}
	var problem string
	for _, response := range responses {
		err := f.Effect.Replace(response)
		if err == nil {
			return ""
		}
		if problem == "" {
			problem = err.Error()
		}
	}
	return problem
}

func responsesOf(method string) []proto.Message {
	var responses []proto.Message
	for _, generation := range []struct {
		services []string
		messages func(fullMethod string) (request, response proto.Message)
	}{
		{[]string{cosiv1alpha2.Identity_ServiceDesc.ServiceName, cosiv1alpha2.Provisioner_ServiceDesc.ServiceName}, cosiv1alpha2.Messages},
		{[]string{cosiv1alpha1.Identity_ServiceDesc.ServiceName, cosiv1alpha1.Provisioner_ServiceDesc.ServiceName}, cosiv1alpha1.Messages},
	} {
		for _, service := range generation.services {
			if _, response := generation.messages("/" + service + "/" + method); response != nil {
				responses = append(responses, response)
			}
		}
	}
	return responses
}

// Replace sets the fields of a response to the values of Set. Paths use JSON names or the names of
// the protocol's definition. The error names the field or value that the message cannot have.
func (e Effect) Replace(response proto.Message) error {
	data, err := protojson.Marshal(response)
	if err != nil {
		return err
	}
	var fields any
	if err := json.Unmarshal(data, &fields); err != nil {
		return err
	}
	for _, path := range slices.Sorted(maps.Keys(e.Set)) {
		if fields, err = replace(fields, strings.Split(inJSON(path), "."), e.Set[path]); err != nil {
			return fmt.Errorf("set %s: %w", path, err)
		}
	}
	if data, err = json.Marshal(fields); err != nil {
		return err
	}
	changed := response.ProtoReflect().New().Interface()
	if err := protojson.Unmarshal(data, changed); err != nil {
		return fmt.Errorf("set %s of %s: %w", strings.Join(slices.Sorted(maps.Keys(e.Set)), ", "),
			response.ProtoReflect().Descriptor().Name(), err)
	}
	changed.ProtoReflect().SetUnknown(response.ProtoReflect().GetUnknown())
	proto.Reset(response)
	proto.Merge(response, changed)
	return nil
}

// inJSON turns names of the protocol's definition, such as bucket_id, into JSON names, such as
// bucketId.
func inJSON(path string) string {
	words := strings.Split(path, "_")
	for i := 1; i < len(words); i++ {
		if words[i] != "" {
			words[i] = strings.ToUpper(words[i][:1]) + words[i][1:]
		}
	}
	return strings.Join(words, "")
}

// replace returns a value with another at the end of a path. Missing fields and items are added.
func replace(in any, path []string, value any) (any, error) {
	if len(path) == 0 {
		return value, nil
	}
	if at, err := strconv.Atoi(path[0]); err == nil {
		return replaceItem(in, at, path[1:], value)
	}
	fields, ok := in.(map[string]any)
	if !ok && in != nil {
		return nil, fmt.Errorf("no field %s in %T", path[0], in)
	}
	if fields == nil {
		fields = map[string]any{}
	}
	var err error
	fields[path[0]], err = replace(fields[path[0]], path[1:], value)
	return fields, err
}

const maxItems = 1000

func replaceItem(in any, at int, path []string, value any) (any, error) {
	items, ok := in.([]any)
	if (!ok && in != nil) || at < 0 || at >= maxItems {
		return nil, fmt.Errorf("no item %d in %T", at, in)
	}
	for len(items) <= at {
		items = append(items, map[string]any{})
	}
	var err error
	items[at], err = replace(items[at], path, value)
	return items, err
}
