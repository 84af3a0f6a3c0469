package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/cosi-emu/cosi-emu/internal/reconcile/kepmetrics"
)

const (
	succeeded = "Succeeded"
	// canceled means that the object was deleted before it was ready.
	canceled = "Canceled"
	// unknown means that the watch was interrupted and missed the end.
	unknown = "Unknown"
)

// The metrics belong to the process, like controller-runtime's own.
var (
	seconds = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: kepmetrics.OperationSeconds,
		Help: "Time from the creation of an object until it is ready, or from its deletion until it is gone.",
		// These are the KEP's. An object's timestamps have whole seconds, so the
		// first buckets are imprecise.
		Buckets: kepmetrics.DurationBuckets(),
	}, []string{kepmetrics.LabelDriver, kepmetrics.LabelKind, kepmetrics.LabelOperation})

	// proposedSeconds has the name of the KEP's proposal for v1beta1, which measures no Buckets.
	proposedSeconds = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "operation_total_seconds",
		Help:    "As cosi_operation_total_seconds, for BucketClaims and BucketAccesses, under the name that is proposed for v1beta1.",
		Buckets: kepmetrics.DurationBuckets(),
	}, []string{kepmetrics.LabelDriver, kepmetrics.LabelKind, kepmetrics.LabelOperation})

	count = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: kepmetrics.OperationCount,
		Help: "Operations that have ended, by how they ended.",
	}, []string{kepmetrics.LabelDriver, kepmetrics.LabelKind, kepmetrics.LabelOperation, kepmetrics.LabelStatus})
)

// RegisterOperations adds the operation metrics to the metrics of the controller.
func RegisterOperations() error { return Register(seconds, proposedSeconds, count) }

func countOperation(driver, kind, operation, status string) {
	count.WithLabelValues(driver, kind, operation, status).Inc()
}

func observeDuration(driver, kind, operation string, since, now time.Time) {
	// Clocks of two machines may differ; no operation ends before it starts.
	elapsed := max(0, now.Sub(since).Seconds())
	seconds.WithLabelValues(driver, kind, operation).Observe(elapsed)
	if kind != kindBucket {
		proposedSeconds.WithLabelValues(driver, kind, operation).Observe(elapsed)
	}
}

// ForgetDriver removes the operation metrics of a driver.
func ForgetDriver(driver string) {
	labels := prometheus.Labels{kepmetrics.LabelDriver: driver}
	seconds.DeletePartialMatch(labels)
	proposedSeconds.DeletePartialMatch(labels)
	count.DeletePartialMatch(labels)
}
