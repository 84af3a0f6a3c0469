// Package otlptest gives tests a collector of traces, as OpenTelemetry's is, on a port of this machine.
package otlptest

import (
	"context"
	"fmt"
	"net"
	"sync"
	"testing"

	collectorv1 "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	commonv1 "go.opentelemetry.io/proto/otlp/common/v1"
	"google.golang.org/grpc"

	"github.com/cosi-emu/cosi-emu/test/harness"
)

// Collector keeps the spans that it receives. It is safe for concurrent use.
type Collector struct {
	collectorv1.UnimplementedTraceServiceServer

	// Address is its host and port.
	Address string

	mu    sync.Mutex
	spans []Span
}

// Span is a span as a collector receives it. Parent is the ID of the span above, or empty.
type Span struct {
	Service, Name, ID, Parent string
}

// Start starts a collector, which ends with the test.
func Start(tb testing.TB) *Collector {
	tb.Helper()
	listener, err := (&net.ListenConfig{}).Listen(tb.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	c := &Collector{Address: listener.Addr().String()}
	server := grpc.NewServer()
	collectorv1.RegisterTraceServiceServer(server, c)
	harness.ServeOn(tb, server, listener)
	return c
}

// Spans returns the spans in the order in which they were received.
func (c *Collector) Spans() []Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]Span(nil), c.spans...)
}

// Export implements collectorv1.TraceServiceServer.
func (c *Collector) Export(
	_ context.Context, request *collectorv1.ExportTraceServiceRequest,
) (*collectorv1.ExportTraceServiceResponse, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, of := range request.GetResourceSpans() {
		service := serviceOf(of.GetResource().GetAttributes())
		for _, scope := range of.GetScopeSpans() {
			for _, span := range scope.GetSpans() {
				c.spans = append(c.spans, Span{
					Service: service, Name: span.GetName(),
					ID: fmt.Sprintf("%x", span.GetSpanId()), Parent: fmt.Sprintf("%x", span.GetParentSpanId()),
				})
			}
		}
	}
	return &collectorv1.ExportTraceServiceResponse{}, nil
}

func serviceOf(attributes []*commonv1.KeyValue) string {
	for _, attribute := range attributes {
		if attribute.GetKey() == "service.name" {
			return attribute.GetValue().GetStringValue()
		}
	}
	return ""
}
