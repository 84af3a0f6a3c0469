package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Values of the label operation.
const (
	create   = "Create"
	deletion = "Delete"
)

// Values of the label status.
const (
	succeeded = "Succeeded"
	// canceled: the object was deleted before it was ready.
	canceled = "Canceled"
	// unknown: the end has not been seen, because the watch was interrupted.
	unknown = "Unknown"
)

const (
	labelKind      = "resource_kind"
	labelOperation = "operation"
	labelStatus    = "status"
)

// The metrics are those of the process, as controller-runtime's own are.
var (
	seconds = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "cosi_operation_total_seconds",
		Help: "Time from the creation of an object until it is ready, or from its deletion until it is gone.",
		// An object's timestamps have whole seconds, so that the first buckets
		// say little. They are the KEP's.
		Buckets: DurationBuckets(),
	}, []string{LabelDriver, labelKind, labelOperation})

	count = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "cosi_operation_count",
		Help: "Operations that have ended, by how they ended.",
	}, []string{LabelDriver, labelKind, labelOperation, labelStatus})
)

// RegisterOperations adds the operation metrics to those that the controller serves.
func RegisterOperations() error { return Register(seconds, count) }

// countOperation counts an operation, and how long it took if that is known.
func countOperation(driver, kind, operation, status string) {
	count.WithLabelValues(driver, kind, operation, status).Inc()
}

func observeDuration(driver, kind, operation string, since, now time.Time) {
	// Clocks of two machines may disagree; no operation ends before it begins.
	seconds.WithLabelValues(driver, kind, operation).Observe(max(0, now.Sub(since).Seconds()))
}

// ForgetDriver removes what was measured of a driver.
func ForgetDriver(driver string) {
	labels := prometheus.Labels{LabelDriver: driver}
	seconds.DeletePartialMatch(labels)
	count.DeletePartialMatch(labels)
}
