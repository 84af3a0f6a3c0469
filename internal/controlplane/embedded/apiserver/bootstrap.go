package apiserver

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	rbacv1client "k8s.io/client-go/kubernetes/typed/rbac/v1"
	"k8s.io/client-go/rest"

	"github.com/cosi-emu/cosi-emu/internal/controlplane/embedded/rbac"
)

// bootstrap creates what every cluster has: its own namespaces, and the default roles. It
// keeps those that exist.
func bootstrap(ctx context.Context, loopback *rest.Config) error {
	cfg := rest.CopyConfig(loopback)
	cfg.UserAgent, cfg.ContentType = "kube-apiserver", "application/vnd.kubernetes.protobuf"
	core, coreErr := corev1client.NewForConfig(cfg)
	rbacClient, rbacErr := rbacv1client.NewForConfig(cfg)
	if err := errors.Join(coreErr, rbacErr); err != nil {
		return err
	}
	for _, name := range []string{metav1.NamespaceSystem, corev1.NamespaceNodeLease, metav1.NamespacePublic, metav1.NamespaceDefault} {
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
		_, err := core.Namespaces().Create(ctx, namespace, metav1.CreateOptions{})
		if ignoreExists(err) != nil {
			return fmt.Errorf("create namespace %s: %w", name, err)
		}
	}
	defaults, err := rbac.ReadDefaults()
	if err != nil {
		return err
	}
	for _, role := range defaults.ClusterRoles {
		_, err := rbacClient.ClusterRoles().Create(ctx, role, metav1.CreateOptions{})
		if ignoreExists(err) != nil {
			return fmt.Errorf("create ClusterRole %s: %w", role.Name, err)
		}
	}
	for _, binding := range defaults.ClusterRoleBindings {
		_, err := rbacClient.ClusterRoleBindings().Create(ctx, binding, metav1.CreateOptions{})
		if ignoreExists(err) != nil {
			return fmt.Errorf("create ClusterRoleBinding %s: %w", binding.Name, err)
		}
	}
	return nil
}

func ignoreExists(err error) error {
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}
