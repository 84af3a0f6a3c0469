// Package rbac decides who may do what, by the Roles and bindings that the embedded API
// server stores, as a kube-apiserver does.
package rbac
