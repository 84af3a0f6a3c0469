package telemetry

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
)

const (
	// exportTimeout limits the delivery of a batch of spans, with its retries.
	exportTimeout = 10 * time.Second
	// flushTimeout limits the delivery of the last spans when a component stops.
	flushTimeout = 3 * time.Second
)

// The delays between the attempts to deliver a batch.
const (
	firstRetry  = 500 * time.Millisecond
	longestWait = 2 * time.Second
)

var errStopped = errors.New("the component has stopped")

// Start returns the provider whose spans go to the collector of the flags, and a function that delivers the last ones, in
// a few seconds at most. Without a collector the provider is nil. Start does not connect. While the collector cannot be
// reached, spans are lost, and nothing waits for it; report is called with the cause, once, and when the collector is back.
//
// The environment adds headers (OTEL_EXPORTER_OTLP_HEADERS), certificates (OTEL_EXPORTER_OTLP_CERTIFICATE) and attributes
// of the process (OTEL_RESOURCE_ATTRIBUTES, OTEL_SERVICE_NAME).
func (f *Flags) Start(ctx context.Context, service string, report func(problem string)) (trace.TracerProvider, func(), error) {
	if f.endpoint == "" {
		return nil, func() {}, nil
	}
	if err := f.Validate(); err != nil {
		return nil, nil, err
	}
	exporter, err := f.newExporter(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("--%s %s: %w", endpointFlag, f.endpoint, err)
	}
	described, err := resource.New(ctx, resource.WithAttributes(
		attribute.String("service.name", service), attribute.String("service.version", cli.ReadVersions().Version),
	), resource.WithFromEnv())
	if err != nil {
		return nil, nil, cli.Usage(fmt.Errorf("the attributes in OTEL_RESOURCE_ATTRIBUTES: %w", err))
	}
	lasting := context.WithoutCancel(ctx) // the last spans are delivered after the end of ctx
	stopped, stop := context.WithCancelCause(lasting)
	r := &reporting{SpanExporter: exporter, endpoint: f.endpoint, report: report, stopped: stopped}
	provider := sdktrace.NewTracerProvider(
		sdktrace.WithBatcher(r),
		sdktrace.WithResource(described),
		sdktrace.WithSampler(sdktrace.ParentBased(sdktrace.TraceIDRatioBased(f.ratio))),
	)
	return provider, func() { flush(lasting, provider, stop) }, nil
}

func (f *Flags) newExporter(ctx context.Context) (sdktrace.SpanExporter, error) {
	target, err := f.target()
	if err != nil {
		return nil, err
	}
	return otlptracegrpc.New(ctx, otlptracegrpc.WithEndpointURL(target), otlptracegrpc.WithTimeout(exportTimeout),
		otlptracegrpc.WithRetry(otlptracegrpc.RetryConfig{
			Enabled: true, InitialInterval: firstRetry, MaxInterval: longestWait, MaxElapsedTime: exportTimeout,
		}))
}

// flush delivers the last spans, and ends the provider. What cannot be delivered has been reported.
func flush(ctx context.Context, provider *sdktrace.TracerProvider, stop context.CancelCauseFunc) {
	timer := time.AfterFunc(flushTimeout, func() { stop(errStopped) })
	defer timer.Stop()
	ctx, cancel := context.WithTimeout(ctx, 2*flushTimeout) // for the case that an exporter ignores stop
	defer cancel()
	_ = provider.Shutdown(ctx)
}

// reporting reports the first failure of a series, and its end.
type reporting struct {
	sdktrace.SpanExporter

	endpoint string
	report   func(problem string)
	stopped  context.Context //nolint:containedctx // it ends the exports, whose contexts are the provider's
	failing  atomic.Bool
}

// ExportSpans implements sdktrace.SpanExporter.
func (r *reporting) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(r.stopped, func() { cancel(context.Cause(r.stopped)) })() //nolint:contextcheck // either context ends it
	err := r.SpanExporter.ExportSpans(ctx, spans)
	failed := r.failing.Swap(err != nil)
	switch {
	case err != nil && !failed:
		r.report(fmt.Sprintf("the collector of traces at %s accepts no spans, which are lost until it does: %v", r.endpoint, err))
	case err == nil && failed:
		r.report(fmt.Sprintf("the collector of traces at %s accepts spans again", r.endpoint))
	}
	return nil // it is reported
}
