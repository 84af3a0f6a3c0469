package telemetry

import (
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/spf13/pflag"
	"go.opentelemetry.io/otel/trace"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/test/harness"
	"github.com/cosi-emu/cosi-emu/test/otlptest"
)

func parse(t *testing.T, args ...string) *Flags {
	t.Helper()
	f := &Flags{}
	flags := pflag.NewFlagSet("test", pflag.ContinueOnError)
	f.Add(flags)
	if err := flags.Parse(args); err != nil {
		t.Fatal(err)
	}
	return f
}

func TestValidate(t *testing.T) {
	tests := map[string]struct {
		args []string
		want string // in the error; empty if there is none
	}{
		"None":          {},
		"Plain":         {args: []string{"--tracing-endpoint", "otel-collector.monitoring:4317"}},
		"IPv6":          {args: []string{"--tracing-endpoint", "[::1]:4317", "--tracing-sampling-ratio", "0.01"}},
		"TLS":           {args: []string{"--tracing-endpoint", "https://collector.example.com:443"}},
		"NoPort":        {args: []string{"--tracing-endpoint", "collector"}, want: "HOST:PORT"},
		"NoHost":        {args: []string{"--tracing-endpoint", ":4317"}, want: "the host is invalid"},
		"Path":          {args: []string{"--tracing-endpoint", "http://collector:4318/v1/traces"}, want: "HOST:PORT"},
		"PortName":      {args: []string{"--tracing-endpoint", "collector:otlp"}, want: `the port "otlp"`},
		"PortZero":      {args: []string{"--tracing-endpoint", "collector:0"}, want: `the port "0"`},
		"Scheme":        {args: []string{"--tracing-endpoint", "grpc://collector:4317"}, want: "HOST:PORT"},
		"Space":         {args: []string{"--tracing-endpoint", "the collector:4317"}, want: "the host is invalid"},
		"Ratio":         {args: []string{"--tracing-endpoint", "collector:4317", "--tracing-sampling-ratio", "2"}, want: "between 0 and 1"},
		"RatioNaN":      {args: []string{"--tracing-endpoint", "collector:4317", "--tracing-sampling-ratio", "NaN"}, want: "between 0 and 1"},
		"RatioNegative": {args: []string{"--tracing-endpoint", "collector:4317", "--tracing-sampling-ratio", "-1"}, want: "between 0 and 1"},
		"RatioAlone":    {args: []string{"--tracing-sampling-ratio", "0.5"}, want: "requires --tracing-endpoint"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			err := parse(t, tc.args...).Validate()
			if tc.want == "" && err == nil {
				return
			}
			if tc.want == "" || err == nil || !cli.IsUsage(err) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("the error is %v, want %q", err, tc.want)
			}
		})
	}
}

// reports are the problems that were reported.
type reports struct {
	mu    sync.Mutex
	texts []string
}

func (r *reports) add(problem string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.texts = append(r.texts, problem)
}

func (r *reports) all() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.texts
}

func span(t *testing.T, provider trace.TracerProvider, name string) {
	t.Helper()
	_, span := provider.Tracer("test").Start(t.Context(), name)
	span.End()
}

// TestFlush: the collector has all spans once the component has stopped.
func TestFlush(t *testing.T) {
	collector := otlptest.Start(t)
	var problems reports
	// The flag decides about the endpoint, and the environment about the rest.
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "https://other.invalid:1")
	provider, flush, err := parse(t, "--tracing-endpoint", collector.Address).Start(t.Context(), "cosi-test", problems.add)
	if err != nil {
		t.Fatal(err)
	}
	span(t, provider, "reconcile Bucket")
	flush()
	want := []otlptest.Span{{Service: "cosi-test", Name: "reconcile Bucket"}}
	if diff := cmp.Diff(want, collector.Spans(), cmpopts.IgnoreFields(otlptest.Span{}, "ID")); diff != "" {
		t.Errorf("spans: -want, +got:\n%s", diff)
	}
	if all := problems.all(); len(all) != 0 {
		t.Errorf("reported: %q", all)
	}
}

// TestUnreachable: a collector that cannot be reached delays no span and is reported once, with the cause; the component
// stops in time.
func TestUnreachable(t *testing.T) {
	address := harness.FreeAddress(t)
	var problems reports
	provider, flush, err := parse(t, "--tracing-endpoint", address).Start(t.Context(), "cosi-test", problems.add)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for range 5000 { // more than the queue has room for
			span(t, provider, "reconcile Bucket")
		}
		flush()
	}()
	harness.Receive(t, "the end of the flush", ended)
	all := problems.all()
	if len(all) != 1 || !strings.Contains(all[0], address) || !strings.Contains(all[0], "connection refused") {
		t.Errorf("reported: %q", all)
	}
}

// TestOff: without the flag there is no provider.
func TestOff(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "https://other.invalid:1")
	provider, flush, err := parse(t).Start(t.Context(), "cosi-test", nil)
	if err != nil || provider != nil {
		t.Errorf("provider %v, %v", provider, err)
	}
	flush()
}
