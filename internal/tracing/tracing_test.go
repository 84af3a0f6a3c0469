package tracing

import (
	"context"
	"net"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	otelcodes "go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"

	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

const parameter = "quota-of-5-TiB"

// driver rejects a bucket with a message that has a parameter.
type driver struct {
	cosiv1alpha2.UnimplementedProvisionerServer
}

func (driver) DriverCreateBucket(
	context.Context, *cosiv1alpha2.DriverCreateBucketRequest,
) (*cosiv1alpha2.DriverCreateBucketResponse, error) {
	return nil, status.Error(codes.InvalidArgument, "unknown "+parameter)
}

func connect(t *testing.T, provider trace.TracerProvider) *grpc.ClientConn {
	t.Helper()
	listener := bufconn.Listen(1 << 16)
	server := grpc.NewServer(ServerOptions(provider)...)
	cosiv1alpha2.RegisterProvisionerServer(server, driver{})
	healthv1.RegisterHealthServer(server, health.NewServer())
	harness.ServeOn(t, server, listener)
	conn, err := grpc.NewClient("passthrough:///driver", append(DialOptions(provider),
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// TestSpans: a call and the work of the server are spans below each other, with the code of an error but without its
// message. A probe is none.
func TestSpans(t *testing.T) {
	recorder := tracetest.NewSpanRecorder()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder))
	conn := connect(t, provider)
	if _, err := healthv1.NewHealthClient(conn).Check(t.Context(), &healthv1.HealthCheckRequest{}); err != nil {
		t.Fatal(err)
	}
	ctx, root := provider.Tracer("test").Start(t.Context(), "reconcile")
	_, err := cosiv1alpha2.NewProvisionerClient(conn).DriverCreateBucket(ctx, &cosiv1alpha2.DriverCreateBucketRequest{})
	if status.Code(err) != codes.InvalidArgument || !strings.Contains(err.Error(), parameter) {
		t.Fatal(err)
	}
	root.End()
	harness.Until(t, "three spans", func(context.Context) (bool, error) { return len(recorder.Ended()) == 3, nil })
	type span struct {
		Name, Code string
		Status     sdktrace.Status
	}
	got := map[trace.SpanKind]span{}
	parents := map[trace.SpanKind]trace.SpanID{}
	ids := map[trace.SpanKind]trace.SpanID{}
	for _, s := range recorder.Ended() {
		found := span{Name: s.Name(), Status: s.Status()}
		for _, attribute := range s.Attributes() {
			if attribute.Key == "rpc.response.status_code" {
				found.Code = attribute.Value.AsString()
			}
			if strings.Contains(attribute.Value.String(), parameter) {
				t.Errorf("span %q has the message of the error: %v", s.Name(), attribute)
			}
		}
		got[s.SpanKind()], parents[s.SpanKind()], ids[s.SpanKind()] = found, s.Parent().SpanID(), s.SpanContext().SpanID()
	}
	const name, code = "sigs.k8s.io.cosi.v1alpha2.Provisioner/DriverCreateBucket", "INVALID_ARGUMENT"
	want := map[trace.SpanKind]span{
		trace.SpanKindInternal: {Name: "reconcile"},
		trace.SpanKindClient:   {Name: name, Code: code, Status: sdktrace.Status{Code: otelcodes.Error}},
		trace.SpanKindServer:   {Name: name, Code: code}, // the caller's error is none of the server
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("spans: -want, +got:\n%s", diff)
	}
	if parents[trace.SpanKindServer] != ids[trace.SpanKindClient] || parents[trace.SpanKindClient] != ids[trace.SpanKindInternal] {
		t.Errorf("the parents are %v, the spans %v", parents, ids)
	}
}

// TestNone: without a provider, nothing is added to a call.
func TestNone(t *testing.T) {
	if dial, serve := DialOptions(nil), ServerOptions(nil); dial != nil || serve != nil {
		t.Errorf("%d options of a client, %d of a server", len(dial), len(serve))
	}
}
