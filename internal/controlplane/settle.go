package controlplane

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensionsclient "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset/typed/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"
)

// justEstablished is the time for which the API server treats a definition as new.
const justEstablished = 2 * time.Second

// settle allows the immediate creation of objects of new kinds. For two seconds after a definition
// is established, the API server delays each create for other API servers. None exist here, so
// settle sets the condition's time back.
func settle(
	ctx context.Context, definitions apiextensionsclient.CustomResourceDefinitionInterface, crds []*apiextensionsv1.CustomResourceDefinition,
) error {
	group, ctx := errgroup.WithContext(ctx)
	for _, crd := range crds {
		group.Go(func() error {
			err := retry.RetryOnConflict(retry.DefaultBackoff, func() error { return dateBack(ctx, definitions, crd.Name) })
			if err != nil {
				return fmt.Errorf("settle CustomResourceDefinition %s: %w", crd.Name, err)
			}
			return nil
		})
	}
	return group.Wait()
}

func dateBack(ctx context.Context, definitions apiextensionsclient.CustomResourceDefinitionInterface, name string) error {
	crd, err := definitions.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	for i := range crd.Status.Conditions {
		condition := &crd.Status.Conditions[i]
		if condition.Type != apiextensionsv1.Established || time.Since(condition.LastTransitionTime.Time) > justEstablished {
			continue
		}
		condition.LastTransitionTime = metav1.NewTime(condition.LastTransitionTime.Add(-justEstablished))
		_, err := definitions.UpdateStatus(ctx, crd, metav1.UpdateOptions{})
		return err
	}
	return nil
}
