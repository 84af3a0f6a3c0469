// Package hub reads the objects of COSI, whatever their version, as objects of v1alpha2. It
// exists so that what judges a run has one model: v1alpha2 is the hub, and v1alpha1 a spoke
// that is converted to it, as Kubernetes itself converts versions.
//
// Objects of v1alpha1 have no conditions. What would be in them is derived: readiness from the
// status, and the reason for the lack of it from the Events of the object. What an access takes
// over from its class and its claim is looked up there.
//
// Converted objects are for judging only. Writes name the object in its own version: see
// Reference.
package hub
