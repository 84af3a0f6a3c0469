// Package metrics has the metrics of the controller and the sidecar. They are in the registry of
// controller-runtime, which belongs to the process: several instances of a component in one process
// count together.
//
// The operation metrics measure the waiting times of users: from the creation of an object until
// its bucket or access is ready, and from the request for its deletion to its end. The KEP lists
// them in its section "Monitoring Requirements". They come from watches and not from reconcilers:
// different instances may see the two ends of an operation, and other components cause some of the
// ends.
package metrics
