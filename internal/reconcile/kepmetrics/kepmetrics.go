// Package kepmetrics has the label and the buckets that the KEP requires for the metrics of both components. It
// imports nothing, so that the connection to a driver needs no client of Kubernetes.
package kepmetrics

// LabelDriver is the label with the name of the driver.
const LabelDriver = "driver_name"

// DurationBuckets returns the buckets for durations, in seconds, without the last
// one, +Inf. The caller owns the slice.
func DurationBuckets() []float64 {
	return []float64{0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30, 60, 120, 300, 600}
}
