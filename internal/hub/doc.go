// Package hub reads the objects of COSI, whatever their version, as objects of v1alpha2, so that
// the judges of a run have one model: v1alpha2 is the hub, and v1alpha1 a spoke that is converted
// to it, as Kubernetes itself converts versions.
//
// Objects of v1alpha1 have no conditions. They are derived: readiness from the status, and the
// reason for its absence from the Events of the object. Fields that an access takes over are read
// from its class and its claim.
//
// Converted objects are for judging only. Writes name the object in its own version: see Reference.
package hub
