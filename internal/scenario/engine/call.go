package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/cosi-emu/cosi-emu/internal/scenario/match"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
	"github.com/cosi-emu/cosi-emu/internal/scenario/render"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
	"github.com/cosi-emu/cosi-emu/internal/scenario/timeout"
	"github.com/cosi-emu/cosi-emu/internal/seam/operations"
)

// call calls a method of a driver, as a sidecar would, and compares the response.
func (r *run) call(ctx context.Context, s *spec.Step) (any, error) {
	name, err := r.variables.Text(ctx, s.Call.Method)
	if err != nil {
		return nil, err
	}
	method := operations.Method(r.scenario.API(), name)
	if method == nil {
		return nil, fmt.Errorf("unknown method %q: must be one of %s", name, strings.Join(operations.MethodsOf(r.scenario.API()), ", "))
	}
	request, err := r.message(ctx, method.Input(), &s.Call.Request)
	if err != nil {
		return nil, err
	}
	r.addToCall(name, request.ProtoReflect())
	connection, err := r.dial(ctx, s.Call.Driver)
	if err != nil {
		return nil, err
	}
	r.external.MarkCall(name, request)
	response := dynamicpb.NewMessage(method.Output())
	err = connection.Invoke(ctx, fmt.Sprintf("/%s/%s", method.Parent().FullName(), method.Name()), request, response)
	if ctx.Err() != nil {
		_ = connection.Close()
		return nil, &outcome.Failure{Message: name + " has not answered" + timeout.After(ctx)}
	}
	if err == nil {
		r.driverCalls.Remember(name, request, response)
	}
	return r.answered(ctx, name, s.Call, response, errors.Join(err, connection.Close()))
}

// message builds a protocol message from a value of the document.
func (r *run) message(ctx context.Context, kind protoreflect.MessageDescriptor, v *spec.Value) (proto.Message, error) {
	value, err := r.variables.Evaluate(ctx, v)
	if err != nil {
		return nil, err
	}
	message := dynamicpb.NewMessage(kind)
	if value == nil {
		return message, nil
	}
	body, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	if err := protojson.Unmarshal(body, message); err != nil {
		return nil, fmt.Errorf("%s: the request is not a valid %s: %w", v.Position, kind.Name(), err)
	}
	return message, nil
}

// answered compares the code and the response with the expected ones.
func (r *run) answered(ctx context.Context, method string, asked *spec.Call, response proto.Message, failed error) (any, error) {
	want, err := r.variables.Text(ctx, asked.Code)
	if err != nil {
		return nil, err
	}
	if want == "" {
		want = codes.OK.String()
	}
	if got := status.Code(failed); got.String() != want {
		r.noteUnsupported(method, got.String(), status.Convert(failed).Message())
		return nil, &outcome.Failure{Message: fmt.Sprintf("the driver returned %s (%v), want %s", got, failed, want)}
	}
	body, err := protojson.Marshal(response) // with the field names of the journal
	if err != nil {
		return nil, err
	}
	var got any
	if err := json.Unmarshal(body, &got); err != nil || asked.Response == nil {
		return got, err
	}
	differences, err := match.Match(*asked.Response, got, r.variables.Now(ctx))
	if err != nil {
		return nil, err
	}
	if len(differences) > 0 {
		return nil, &outcome.Failure{
			Message: "the driver's response: condition not met", Differences: differences,
			Expected: render.Expected(*asked.Response, r.variables.Now(ctx)), Got: render.YAML(got),
		}
	}
	return got, nil
}
