package fakedriver

import (
	"cmp"
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/cosi-emu/cosi-emu/proto/redact"
)

// report logs every call without secrets, with the cause of an error that the caller does not get.
func (d *Driver) report(ctx context.Context, request any, info *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
	began := time.Now()
	response, err := handle(ctx, request)
	log := d.options.Logger.WithValues("method", info.FullMethod, "request", redacted(request), "duration", time.Since(began))
	if err != nil {
		log.Info("call failed", "code", status.Code(err).String(), "cause", err.Error())
		return nil, told(err)
	}
	log.V(1).Info("call served", "response", redacted(response))
	return response, nil
}

// told returns the error for the caller: a code and a message. COSI allows no details.
func told(err error) error {
	s := status.Convert(err)
	return status.Error(s.Code(), cmp.Or(s.Message(), "the call failed, and there is no message"))
}

func redacted(message any) string {
	m, ok := message.(proto.Message)
	if !ok {
		return ""
	}
	return fmt.Sprint(redact.Message(m))
}

// settle turns a panic, and an error without a status, into Internal.
func settle(ctx context.Context, request any, _ *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (response any, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			response, err = nil, statusOf(fmt.Errorf("panic: %v\n%s", cause, debug.Stack())) //nolint:err113 // has no kind
		}
	}()
	if err := ctx.Err(); err != nil {
		return nil, statusOf(err)
	}
	response, err = handle(ctx, request)
	if err != nil {
		return nil, statusOf(err)
	}
	return response, nil
}
