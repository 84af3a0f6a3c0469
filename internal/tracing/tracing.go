// Package tracing makes gRPC calls spans of OpenTelemetry, with the propagation of the W3C.
package tracing

import (
	"context"
	"strings"

	"go.opentelemetry.io/contrib/instrumentation/google.golang.org/grpc/otelgrpc"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
	"google.golang.org/grpc"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/stats"
)

// DialOptions make each call of a connection a span of the provider, below the span of its context. Without a
// provider there are no options.
func DialOptions(provider trace.TracerProvider) []grpc.DialOption {
	if provider == nil {
		return nil
	}
	return []grpc.DialOption{grpc.WithStatsHandler(otelgrpc.NewClientHandler(options(provider)...))}
}

// ServerOptions make each call that a server receives a span of the provider, below the caller's span. Without a
// provider there are no options.
func ServerOptions(provider trace.TracerProvider) []grpc.ServerOption {
	if provider == nil {
		return nil
	}
	return []grpc.ServerOption{grpc.StatsHandler(otelgrpc.NewServerHandler(options(provider)...))}
}

func options(provider trace.TracerProvider) []otelgrpc.Option {
	return []otelgrpc.Option{
		otelgrpc.WithTracerProvider(reticent{TracerProvider: provider}),
		otelgrpc.WithPropagators(propagation.TraceContext{}),
		otelgrpc.WithMeterProvider(noop.NewMeterProvider()), // the components have metrics of their own
		otelgrpc.WithFilter(func(info *stats.RPCTagInfo) bool {
			return !strings.HasPrefix(info.FullMethodName, "/"+healthv1.Health_ServiceDesc.ServiceName+"/")
		}),
	}
}

// reticent is a provider whose spans have no message of an error: a driver may put parameters and keys into it. The code
// of the error is an attribute.
type reticent struct{ trace.TracerProvider }

// Tracer implements trace.TracerProvider.
func (r reticent) Tracer(name string, options ...trace.TracerOption) trace.Tracer {
	return reticentTracer{r.TracerProvider.Tracer(name, options...)}
}

type reticentTracer struct{ trace.Tracer }

// Start implements trace.Tracer.
func (t reticentTracer) Start(ctx context.Context, name string, options ...trace.SpanStartOption) (context.Context, trace.Span) {
	ctx, span := t.Tracer.Start(ctx, name, options...)
	span = reticentSpan{span}
	return trace.ContextWithSpan(ctx, span), span
}

type reticentSpan struct{ trace.Span }

// SetStatus implements trace.Span.
func (s reticentSpan) SetStatus(code codes.Code, _ string) { s.Span.SetStatus(code, "") }
