// Package controllers has the controllers of the embedded control plane: they collect
// garbage by owner references, empty deleted namespaces, create default ServiceAccounts,
// aggregate ClusterRoles and count for ResourceQuotas. They do what those of
// kube-controller-manager do, for the kinds that the server serves.
package controllers
