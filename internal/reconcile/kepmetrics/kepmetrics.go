// Package kepmetrics has the names, labels and buckets that the KEP requires for the metrics of both components. It
// imports nothing, so that the connection to a driver needs no client of Kubernetes.
package kepmetrics

// The metrics of the controller.
const (
	OperationSeconds = "cosi_operation_total_seconds"
	OperationCount   = "cosi_operation_count"
)

// The metrics of sidecars.
const (
	CallSeconds = "cosi_sidecar_operation_duration_seconds"
	CallErrors  = "cosi_sidecar_operation_errors_total"
)

// The labels.
const (
	// LabelDriver is the label with the name of the driver, of all metrics.
	LabelDriver = "driver_name"
	// LabelKind, LabelOperation and LabelStatus are labels of the controller's metrics, and only OperationCount has the
	// last one.
	LabelKind      = "resource_kind"
	LabelOperation = "operation"
	LabelStatus    = "status"
	// LabelMethod and LabelCode are labels of the sidecars' metrics, and only CallSeconds has the last one.
	LabelMethod = "method_name"
	LabelCode   = "grpc_status_code"
)

// Values of LabelOperation.
const (
	Create = "Create"
	Delete = "Delete"
)

// DurationBuckets returns the buckets for durations, in seconds, without the last
// one, +Inf. The caller owns the slice.
func DurationBuckets() []float64 {
	return []float64{0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30, 60, 120, 300, 600}
}
