package seam

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
)

// callRPC makes a call, and applies its fault. It returns a response or an error.
func (o *operation) callRPC(ctx context.Context, end side, next func(context.Context) (any, error)) (any, error) {
	if o.applied == nil {
		return next(ctx)
	}
	if err := o.apply(ctx); err != nil {
		return nil, rpcError(err)
	}
	e := o.effect()
	if e.Fail != "" {
		return nil, rpcFailure(e.Fail, e.Message)
	}
	resp, err := next(ctx)
	if e.Duplicate {
		resp, err = next(ctx)
	}
	if e.LoseReply != "" || e.Crash == fault.After {
		return nil, o.loseRPC(resp, err)
	}
	o.interfere(ctx, true)
	if err != nil {
		return nil, err
	}
	return o.corrupt(resp, end)
}

// loseRPC records the result of a call, and returns the error that the caller receives
// instead.
func (o *operation) loseRPC(resp any, err error) error {
	o.event.Response = happened(resp, err)
	if o.crashAfter() {
		return rpcError(ErrFenced)
	}
	return rpcFailure(o.applied.Effect.LoseReply, o.applied.Effect.Message)
}

// happened renders the result of a call that the caller does not receive.
func happened(resp any, err error) json.RawMessage {
	if err == nil {
		return message(resp)
	}
	data, marshalErr := json.Marshal(map[string]string{"code": status.Code(err).String()})
	if marshalErr != nil {
		return nil
	}
	return data
}

// rpcError returns the gRPC status for the error that ended a call.
func rpcError(err error) error {
	switch {
	case errors.Is(err, ErrFenced):
		return status.Error(codes.Unavailable, ErrFenced.Error())
	case errors.Is(err, errLost):
		return status.Error(codes.Unavailable, "error reading from server: EOF")
	default:
		return status.FromContextError(err).Err()
	}
}

// usual are the usual messages of gRPC errors.
var usual = map[codes.Code]string{
	codes.Canceled:          context.Canceled.Error(),
	codes.DeadlineExceeded:  context.DeadlineExceeded.Error(),
	codes.Unavailable:       "error reading from server: EOF",
	codes.Unimplemented:     "unknown method",
	codes.ResourceExhausted: "the storage system has no capacity left",
	codes.Internal:          "the storage system has failed",
	codes.NotFound:          "it does not exist",
	codes.AlreadyExists:     "it exists already and differs",
}

func rpcFailure(name, text string) error {
	code, _ := fault.RPCCode(name)
	return status.Error(code, cmp.Or(text, usual[code], "the storage system rejected the request"))
}

// corrupt changes a response.
func (o *operation) corrupt(resp any, end side) (any, error) {
	msg, ok := resp.(proto.Message)
	if !ok {
		return resp, nil
	}
	e := o.applied.Effect
	switch {
	case len(e.Set) > 0:
		if err := e.Replace(msg); err != nil {
			o.event.Message = "the fault could not be applied: " + err.Error()
		}
	case e.Empty:
		proto.Reset(msg)
	case e.Swap:
		o.swap(msg)
	case e.Oversize > 0:
		return o.enlarge(msg, e.Oversize, end)
	}
	return resp, nil
}

type lent struct{}

// swap replaces a response by the previous one, and keeps it for the next call.
func (o *operation) swap(msg proto.Message) {
	own := proto.Clone(msg)
	before, _ := o.applied.Swap(lent{}, own).(proto.Message)
	if o.applied.RecordOnly || before == nil || before.ProtoReflect().Descriptor() != msg.ProtoReflect().Descriptor() {
		return
	}
	proto.Reset(msg)
	proto.Merge(msg, before)
}

// maxMessage is gRPC's default maximum size of a message.
const maxMessage = 4 << 20

// padding is the number of a field that the protocol does not have.
const padding = 536_870_911

// enlarge makes a response larger. On the driver's side gRPC sends it; on the caller's side this
// function applies gRPC's limit itself.
func (o *operation) enlarge(msg proto.Message, by int, end side) (any, error) {
	if size := proto.Size(msg) + by; end == caller && size > maxMessage {
		return nil, status.Error(codes.ResourceExhausted, fmt.Sprintf("grpc: received message larger than max (%d vs. %d)", size, maxMessage))
	}
	unknown := protowire.AppendTag(msg.ProtoReflect().GetUnknown(), padding, protowire.BytesType)
	msg.ProtoReflect().SetUnknown(protowire.AppendBytes(unknown, make([]byte, by)))
	return msg, nil
}

func reset(m any) {
	if msg, ok := m.(proto.Message); ok {
		proto.Reset(msg)
	}
}
