// Package controllers has the controllers of the embedded control plane: they collect
// garbage by owner references, empty deleted namespaces, create default ServiceAccounts,
// aggregate ClusterRoles and count for ResourceQuotas. They behave as in
// kube-controller-manager, for the kinds that the server serves.
package controllers
