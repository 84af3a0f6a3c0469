// Package operation measures what users wait for: from the creation of an object
// until the bucket or the access behind it is ready, and from its deletion until
// it is gone. These are the controller's metrics of the KEP, section "Monitoring
// Requirements".
//
// It watches, and takes no part in the reconciling: the two ends of an operation
// are seen by different reconciles, perhaps of different instances, and some
// ends are brought about by others.
package operation
