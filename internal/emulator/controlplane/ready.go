package controlplane

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	toolscache "k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
)

// WaitReady returns when the controllers have created the default ServiceAccount of
// namespace default; without a controller manager, immediately. It fails when ctx ends
// or a component fails.
func (c *ControlPlane) WaitReady(ctx context.Context) error {
	if c.component(ControllerManager) == nil {
		return nil
	}
	client, err := kubernetes.NewForConfig(c.AdminConfig())
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	//nolint:contextcheck // the other context tells of failures
	defer context.AfterFunc(c.monitor.alive, func() { cancel(context.Cause(c.monitor.alive)) })()
	accounts := toolscache.NewListWatchFromClient(client.CoreV1().RESTClient(), "serviceaccounts",
		metav1.NamespaceDefault, fields.OneTermEqualSelector(metav1.ObjectNameField, "default"))
	_, err = watchtools.UntilWithSync(ctx, accounts, &corev1.ServiceAccount{}, nil,
		func(event watch.Event) (bool, error) { return event.Type != watch.Deleted, nil })
	if err == nil {
		return nil
	}
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	return fmt.Errorf("wait for the controllers of %s: %w", ControllerManager, err)
}
