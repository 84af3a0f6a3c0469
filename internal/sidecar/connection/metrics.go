package connection

import (
	"context"
	"path"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/kepmetrics"
)

// The metrics are the KEP's, section "Monitoring Requirements". They belong to the process, like
// controller-runtime's own.
var (
	callSeconds = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    kepmetrics.CallSeconds,
		Help:    "Duration of the calls to the driver.",
		Buckets: kepmetrics.DurationBuckets(),
	}, []string{kepmetrics.LabelDriver, kepmetrics.LabelMethod, kepmetrics.LabelCode})

	callErrors = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: kepmetrics.CallErrors,
		Help: "Calls to the driver that have returned an error.",
	}, []string{kepmetrics.LabelDriver, kepmetrics.LabelMethod})
)

// Metrics returns the metrics of all connections, for the sidecar's registry.
func Metrics() []prometheus.Collector { return []prometheus.Collector{callSeconds, callErrors} }

// measure is the outermost interceptor, so it measures a call as the reconciler sees
// it. A driver has no name before its first answer to DriverGetInfo. Calls of grpc.health.v1 are not measured.
func (c *Conn) measure(
	ctx context.Context, method string, request, response any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker, options ...grpc.CallOption,
) error {
	if isHealth(method) {
		return invoke(ctx, method, request, response, conn, options...)
	}
	start := time.Now()
	err := invoke(ctx, method, request, response, conn, options...)
	elapsed := time.Since(start)
	name, method, code := c.nameBy(response), path.Base(method), status.Code(err)
	callSeconds.WithLabelValues(name, method, code.String()).Observe(elapsed.Seconds())
	if code != codes.OK {
		callErrors.WithLabelValues(name, method).Inc()
	}
	return err
}

// nameBy returns the name of the driver, or the name in its first answer.
func (c *Conn) nameBy(response any) string {
	info, isInfo := response.(interface{ GetName() string })
	if isInfo && c.name == "" && v1alpha2.CheckDriverName(strings.ToLower(info.GetName())) == nil {
		return info.GetName()
	}
	return c.name
}

// ForgetMetrics removes the metrics of a driver, for processes whose drivers change. Later calls to
// the driver start new metrics.
func ForgetMetrics(name string) {
	labels := prometheus.Labels{kepmetrics.LabelDriver: name}
	callSeconds.DeletePartialMatch(labels)
	callErrors.DeletePartialMatch(labels)
}
