// Package existingcluster handles an existing Kubernetes cluster, for an emulator that runs COSI against
// it. It has the user's client, the check for another COSI in the cluster, and the objects that the
// emulator creates there.
//
// All objects that the emulator creates have a label with its name from the beginning. The emulator
// never changes or deletes objects without this label. So Stop can delete them, and also the next
// start after a kill.
package existingcluster
