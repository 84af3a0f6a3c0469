package phasetest

import (
	"context"
	"io"
	"path"
	"slices"
	"strings"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/cosi-emu/cosi-emu/internal/sidecar/connection"
	"github.com/cosi-emu/cosi-emu/test/drivertest"
)

// calls are the calls of a driver during the phase. They are safe for concurrent use.
type calls struct {
	mu    sync.Mutex
	lines []callLine
}

// callLine is the line of a call, and how many writes of the phase came before it.
type callLine struct {
	text   string
	writes int
}

// DialOption records the calls on a connection to a driver among the writes in the Outcome, and has
// Before be called for them. Calls before the phase are not recorded.
func (c *Case) DialOption() grpc.DialOption {
	return grpc.WithChainUnaryInterceptor(func(
		ctx context.Context, method string, request, response any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption,
	) error {
		if !c.runs.Load() {
			return invoke(ctx, method, request, response, conn, opts...)
		}
		line, writes := lineOfCall(method, request), len(c.requests.Writes())
		c.happens(line) //nolint:contextcheck // what happens is no part of the call
		err := invoke(ctx, method, request, response, conn, opts...)
		if err != nil {
			line += ": " + status.Code(err).String()
		}
		c.calls.mu.Lock()
		defer c.calls.mu.Unlock()
		c.calls.lines = append(c.calls.lines, callLine{text: line, writes: writes})
		return err
	})
}

// Connect connects a component to a driver of drivertest until the test ends, with
// DialOption and those options.
func Connect[D io.Closer](c *Case, connect func(context.Context, connection.Options) (D, error), options []grpc.DialOption) D {
	c.Helper()
	connected, err := connect(c.Context(), connection.Options{Endpoint: drivertest.Endpoint, DialOptions: append(options, c.DialOption())})
	c.Must(err)
	c.Cleanup(func() { c.Must(connected.Close()) })
	return connected
}

// among returns the lines of writes, with the lines of the calls between them.
func (c *calls) among(writes []string) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, call := range slices.Backward(c.lines) {
		writes = slices.Insert(writes, call.writes, call.text)
	}
	return writes
}

// lineOfCall describes a call in one line, as in
//
//	call DriverCreateBucket id-b
//	call DriverGrantBucketAccess id-app (id-photos, id-videos): Unavailable
//
// The line has the ID or name in the request, the IDs of the buckets of an account in
// brackets, and the code of an error.
func lineOfCall(method string, request any) string {
	line := "call " + path.Base(method)
	message, ok := request.(proto.Message)
	if !ok {
		return line
	}
	fields := message.ProtoReflect()
	buckets := bucketsOf(fields)
	for _, name := range []protoreflect.Name{"account_id", "account_name", "name"} {
		if about := textOf(fields, name); about != "" {
			line += " " + about
			if len(buckets) > 0 {
				line += " (" + strings.Join(buckets, ", ") + ")"
			}
			return line
		}
	}
	return strings.TrimSpace(line + " " + strings.Join(buckets, " "))
}

// bucketsOf returns the IDs in the fields bucket_id and buckets of a message.
func bucketsOf(message protoreflect.Message) []string {
	var ids []string
	if id := textOf(message, "bucket_id"); id != "" {
		ids = append(ids, id)
	}
	field := message.Descriptor().Fields().ByName("buckets")
	if field == nil {
		return ids
	}
	list := message.Get(field).List()
	for i := range list.Len() {
		ids = append(ids, textOf(list.Get(i).Message(), "bucket_id"))
	}
	return ids
}

func textOf(message protoreflect.Message, name protoreflect.Name) string {
	field := message.Descriptor().Fields().ByName(name)
	if field == nil {
		return ""
	}
	return message.Get(field).String()
}
