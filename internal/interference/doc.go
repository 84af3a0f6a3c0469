// Package interference changes Kubernetes objects as users and other programs do while COSI works
// on them: it deletes them, creates them again, removes finalizers, and edits them. It has an
// administrator's rights. The journal records its requests under the administrator, with the name
// of the fault.
package interference
