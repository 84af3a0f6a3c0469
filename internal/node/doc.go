// Package node is the node adapter: a CSI driver that gives Pods the credentials of their BucketAccesses as files. It
// has the CSI services Identity and Node, and volumes that are ephemeral and inline in Pods.
//
// An access and its Secrets are read with the ServiceAccount token of the Pod, so that the rights of the Pod decide.
// The node adapter itself may only mark accesses that Pods use, and ask whether a Pod exists.
//
// What a crash could leave behind is found again: a record of each volume is written before its mark, and deleted after
// everything else. Sweep removes the marks and volumes of Pods that have gone without a NodeUnpublishVolume.
package node
