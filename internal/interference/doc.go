// Package interference does what people and other programs do to objects of Kubernetes
// while COSI works on them: it deletes them, creates them again, removes finalizers, and
// edits them. It has an administrator's rights, and its requests are in the journal as
// those of the administrator, with the name of the fault.
package interference
