// Package pods is a node that runs Pods as processes of this machine, without isolation: same user, same network, an
// own directory and environment.
//
// Virtual Kubelet's node library keeps the Node, its Lease and the status of its Pods. A package below runs each part
// of a Pod: worker its containers, volume its volumes, environment its variables, containerlog its logs, and image
// knows the commands of images.
package pods
