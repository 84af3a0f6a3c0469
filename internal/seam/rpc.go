package seam

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/seam/operations"
	"github.com/cosi-emu/cosi-emu/proto/redact"
)

// healthMethods is the beginning of the methods of grpc.health.v1. A probe is no operation of COSI.
const healthMethods = "/grpc.health.v1.Health/"

// DialOptions make the calls of a gRPC client operations of this incarnation at the
// rpc seam.
func (i *Incarnation) DialOptions() []grpc.DialOption {
	return []grpc.DialOption{grpc.WithChainUnaryInterceptor(i.callRPC(caller))}
}

// RelayOptions make the calls that a gRPC client passes on to a server operations that this
// incarnation serves at the rpc seam. They are for a server in another process, which has no
// interceptor of this package.
func (i *Incarnation) RelayOptions() []grpc.DialOption {
	return []grpc.DialOption{grpc.WithChainUnaryInterceptor(i.callRPC(server))}
}

// ServerOptions make the calls that a gRPC server handles operations of this
// incarnation at the rpc seam.
func (i *Incarnation) ServerOptions() []grpc.ServerOption {
	return []grpc.ServerOption{grpc.ChainUnaryInterceptor(i.handleRPC)}
}

func (i *Incarnation) callRPC(end side) grpc.UnaryClientInterceptor {
	return func(
		ctx context.Context, method string, req, reply any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption,
	) error {
		resp, err := i.crossRPC(ctx, method, req, end, func(ctx context.Context) (any, error) {
			reset(reply) // of an earlier attempt
			return reply, invoke(ctx, method, req, reply, conn, opts...)
		})
		if resp == nil {
			reset(reply) // the caller does not receive it
		}
		return err
	}
}

func (i *Incarnation) handleRPC(ctx context.Context, req any, info *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
	resp, err := i.crossRPC(ctx, info.FullMethod, req, server, func(ctx context.Context) (any, error) {
		return handle(ctx, req)
	})
	if i.ctx.Err() != nil {
		// A killed server returns no response, even if it has done the work.
		return nil, status.Error(codes.Unavailable, ErrFenced.Error())
	}
	return resp, err
}

func (i *Incarnation) crossRPC(
	ctx context.Context, method string, req any, end side, next func(context.Context) (any, error),
) (any, error) {
	if i.faults.Bypassed() || strings.HasPrefix(method, healthMethods) {
		return next(ctx)
	}
	op := journal.Operation{Name: path.Base(method), Subject: subject(req)}
	c, ctx, err := i.enter(ctx, journal.SeamRPC, op, end)
	if err != nil {
		return nil, status.Error(codes.Unavailable, err.Error())
	}
	c.event.Request = message(req)
	resp, err := c.callRPC(ctx, end, func(ctx context.Context) (any, error) {
		resp, err := next(ctx)
		if err == nil { // it counts even if a fault loses it
			i.learn(op.Subject, req, resp)
		}
		return resp, err
	})
	if err != nil {
		c.exit(status.Code(err).String(), redact.Text(status.Convert(err).Message()))
		return nil, err
	}
	c.event.Response = message(resp)
	note := ""
	if c.applied == nil { // a fault adds unknown fields, too
		note = undecoded(resp)
	}
	c.exit(journal.OutcomeOK, note)
	return resp, nil
}

// learn tells the journal the secret values that a driver has returned for an account, and the hook
// the whole response.
func (i *Incarnation) learn(account string, req, resp any) {
	m, ok := resp.(proto.Message)
	if !ok {
		return
	}
	request, _ := req.(proto.Message)
	for _, value := range redact.Secrets(m, request) {
		i.journal.AddAccountSecret(account, value)
	}
	if i.hooks.Returned != nil {
		i.hooks.Returned(i.component, account, m)
	}
}

// subject returns the account or bucket of a call, or the name in a request for an ID.
func subject(m any) string {
	msg, ok := m.(proto.Message)
	if !ok {
		return ""
	}
	fields := msg.ProtoReflect().Descriptor().Fields()
	for _, name := range operations.SubjectFields {
		if field := fields.ByName(name); field != nil {
			return msg.ProtoReflect().Get(field).String()
		}
	}
	return ""
}

// message renders a protocol message, without its secrets.
func message(m any) json.RawMessage {
	msg, ok := m.(proto.Message)
	if !ok {
		return nil
	}
	return redact.JSON(msg)
}

// undecoded describes a message that has only unknown fields: its sender speaks another dialect
// than expected, and a relay has passed it on unchanged.
func undecoded(m any) string {
	msg, ok := m.(proto.Message)
	if !ok {
		return ""
	}
	content, isKnown := msg.ProtoReflect(), false
	content.Range(func(protoreflect.FieldDescriptor, protoreflect.Value) bool {
		isKnown = true
		return false
	})
	if isKnown || len(content.GetUnknown()) == 0 {
		return ""
	}
	return fmt.Sprintf("%d bytes that are no %s; they are passed on unchanged", len(content.GetUnknown()), content.Descriptor().Name())
}
