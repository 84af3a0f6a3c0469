package subprocess

import (
	"context"
	"errors"
	"net"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// relay passes calls on to a driver.
type relay struct {
	server *grpc.Server
	conn   *grpc.ClientConn
	served chan error
}

// newRelay starts a relay that listens on a socket.
func newRelay(socket string, driver Driver) (*relay, error) {
	conn, err := grpc.NewClient(driver.Endpoint,
		append([]grpc.DialOption{grpc.WithTransportCredentials(insecure.NewCredentials())}, driver.DialOptions...)...)
	if err != nil {
		return nil, err
	}
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "unix", socket)
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	r := &relay{conn: conn, served: make(chan error, 1)}
	r.server = grpc.NewServer(grpc.UnknownServiceHandler(r.pass))
	go func() { r.served <- r.server.Serve(listener) }()
	return r, nil
}

// pass implements grpc.StreamHandler for calls of any method that has one request
// and one response.
func (r *relay) pass(_ any, stream grpc.ServerStream) error {
	method, _ := grpc.MethodFromServerStream(stream)
	request, response := messagesOf(method)
	if request == nil || response == nil {
		return status.Errorf(codes.Unimplemented, "unknown method %s", method)
	}
	if err := stream.RecvMsg(request); err != nil {
		return err
	}
	if err := r.conn.Invoke(stream.Context(), method, request, response); err != nil {
		return err
	}
	return stream.SendMsg(response)
}

// messagesOf returns an empty request and response of a method, or nil.
func messagesOf(method string) (request, response proto.Message) {
	service, name, _ := strings.Cut(strings.TrimPrefix(method, "/"), "/")
	found, err := protoregistry.GlobalFiles.FindDescriptorByName(protoreflect.FullName(service))
	if err != nil {
		return nil, nil
	}
	described, ok := found.(protoreflect.ServiceDescriptor)
	if !ok {
		return nil, nil
	}
	m := described.Methods().ByName(protoreflect.Name(name))
	if m == nil {
		return nil, nil
	}
	return empty(m.Input()), empty(m.Output())
}

func empty(of protoreflect.MessageDescriptor) proto.Message {
	kind, err := protoregistry.GlobalTypes.FindMessageByName(of.FullName())
	if err != nil {
		return nil
	}
	return kind.New().Interface()
}

func (r *relay) close() error {
	r.server.Stop()
	return errors.Join(<-r.served, r.conn.Close())
}
