package replay

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/recording"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/proto/redact"
)

// RecordedDriver is a driver without a backend: it returns recorded answers. Secrets
// in the answers are placeholders, because a recording has none. It is safe for
// concurrent use.
type RecordedDriver struct {
	options RecordedDriverOptions
	answers *answers
	server  *grpc.Server
}

// RecordedDriverOptions select the recorded driver.
type RecordedDriverOptions struct {
	// Recording is the run in which the driver answered.
	Recording *recording.Recording
	// Sidecar is the component that called the driver in the recording.
	Sidecar string
	// Name is the name of the driver in this run.
	Name string
	// Protocols are the driver's protocols, for recordings without a DriverGetInfo.
	Protocols []fakedriver.Protocol
	// Events returns the events of this run after a sequence number. The names of objects in them tell which recorded request a request
	// repeats. Nil means that these are unknown.
	Events func(seq uint64) []journal.Event
	// ServerOptions are options of the gRPC server.
	ServerOptions []grpc.ServerOption
}

// NewRecordedDriver returns a driver. Serve serves it.
func NewRecordedDriver(o RecordedDriverOptions) *RecordedDriver {
	if o.Events == nil {
		o.Events = func(uint64) []journal.Event { return nil }
	}
	s := &RecordedDriver{
		options: o,
		answers: newAnswers(o.Recording, o.Sidecar, o.Events),
		server:  grpc.NewServer(o.ServerOptions...),
	}
	services := cosiv1alpha2.File_cosi_v1alpha2_cosi_proto.Services()
	for i := range services.Len() {
		s.server.RegisterService(s.service(services.Get(i)), nil)
	}
	return s
}

// Sidecars returns the sidecars that called a driver in a recorded run.
func Sidecars(events []journal.Event) []string {
	var all []string
	for _, e := range events {
		if e.Seam == journal.SeamRPC && emulator.IsSidecar(e.Component) && !slices.Contains(all, e.Component) {
			all = append(all, e.Component)
		}
	}
	return all
}

// Serve serves until ctx is done.
func (r *RecordedDriver) Serve(ctx context.Context, l net.Listener) error {
	stop := context.AfterFunc(ctx, r.server.GracefulStop)
	defer stop()
	return r.server.Serve(l)
}

func (r *RecordedDriver) service(d protoreflect.ServiceDescriptor) *grpc.ServiceDesc {
	desc := &grpc.ServiceDesc{ServiceName: string(d.FullName()), HandlerType: nil, Metadata: d.ParentFile().Path()}
	methods := d.Methods()
	for i := range methods.Len() {
		method := methods.Get(i)
		desc.Methods = append(desc.Methods, grpc.MethodDesc{
			MethodName: string(method.Name()),
			Handler: func(_ any, ctx context.Context, decode func(any) error, intercept grpc.UnaryServerInterceptor) (any, error) {
				request := dynamicpb.NewMessage(method.Input())
				if err := decode(request); err != nil {
					return nil, err
				}
				handle := func(_ context.Context, request any) (any, error) { return r.answer(method, request) }
				if intercept == nil {
					return handle(ctx, request)
				}
				info := &grpc.UnaryServerInfo{FullMethod: fmt.Sprintf("/%s/%s", d.FullName(), method.Name())}
				return intercept(ctx, request, info, handle)
			},
		})
	}
	return desc
}

// answer returns the recorded answer. An unknown request gets Unavailable: the sidecar
// retries it, and it is easy to find in the journal.
func (r *RecordedDriver) answer(method protoreflect.MethodDescriptor, request any) (proto.Message, error) {
	message, ok := request.(proto.Message)
	if !ok {
		return nil, status.Error(codes.Internal, "the request is no message")
	}
	name, question := string(method.Name()), string(redact.JSON(message))
	found, words, ok := r.answers.to(name, question)
	switch {
	case !ok && name == "DriverGetInfo":
		return r.info(), nil
	case !ok:
		return nil, status.Errorf(codes.Unavailable, "the recording has no answer to %s %s", name, question)
	case found.failed():
		return nil, status.Error(codeOf(found.event.Outcome), found.event.Message)
	}
	response := dynamicpb.NewMessage(method.Output())
	if err := (protojson.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(found.body(words), response); err != nil {
		return nil, status.Errorf(codes.Internal, "the recorded answer to %s cannot be read: %v", name, err)
	}
	if own := method.Output().Fields().ByName("name"); name == "DriverGetInfo" && r.options.Name != "" {
		response.Set(own, protoreflect.ValueOfString(r.options.Name))
	}
	return response, nil
}

func (r *RecordedDriver) info() *cosiv1alpha2.DriverGetInfoResponse {
	info := &cosiv1alpha2.DriverGetInfoResponse{Name: r.options.Name}
	for _, p := range r.options.Protocols {
		kind := cosiv1alpha2.ObjectProtocol_Type(cosiv1alpha2.ObjectProtocol_Type_value[strings.ToUpper(p.String())])
		info.SupportedProtocols = append(info.SupportedProtocols, &cosiv1alpha2.ObjectProtocol{Type: kind})
	}
	return info
}

func codeOf(name string) codes.Code {
	for code := codes.OK; code <= codes.Unauthenticated; code++ {
		if code.String() == name {
			return code
		}
	}
	return codes.Unknown
}
