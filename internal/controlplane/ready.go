package controlplane

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/watch"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
)

// WaitControllers returns when the controllers have created the default ServiceAccount of namespace
// default. It fails when ctx ends, with its cause.
func WaitControllers(ctx context.Context, cfg *rest.Config) error {
	client, err := corev1client.NewForConfig(cfg)
	if err != nil {
		return err
	}
	accounts := toolscache.NewListWatchFromClient(client.RESTClient(), "serviceaccounts",
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
