package controlplane

import (
	"context"
	"encoding/json"
	"fmt"

	"golang.org/x/sync/errgroup"
	"k8s.io/apiextensions-apiserver/pkg/apihelpers"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
)

// fieldManager is the field manager of InstallCRDs.
const fieldManager = "cosi-emu"

// InstallCRDs applies CustomResourceDefinitions, and replaces older ones. It returns
// when objects of the kinds can be created and watched without delay.
func InstallCRDs(ctx context.Context, cfg *rest.Config, crds []*apiextensionsv1.CustomResourceDefinition) error {
	client, err := clientset.NewForConfig(cfg)
	if err != nil {
		return err
	}
	group, groupCtx := errgroup.WithContext(ctx)
	for _, crd := range crds {
		group.Go(func() error { return applyCRD(groupCtx, client, crd) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	if err := waitEstablished(ctx, client, crds); err != nil {
		return err
	}
	if err := settle(ctx, client.ApiextensionsV1().CustomResourceDefinitions(), crds); err != nil {
		return err
	}
	if err := waitServed(ctx, client.Discovery(), crds); err != nil {
		return err
	}
	return waitWatchable(ctx, client.Discovery().RESTClient(), crds)
}

func applyCRD(ctx context.Context, client clientset.Interface, crd *apiextensionsv1.CustomResourceDefinition) error {
	crd = crd.DeepCopy()
	crd.TypeMeta = metav1.TypeMeta{APIVersion: apiextensionsv1.SchemeGroupVersion.String(), Kind: "CustomResourceDefinition"}
	crd.ManagedFields = nil
	data, err := json.Marshal(crd)
	if err != nil {
		return err
	}
	_, err = client.ApiextensionsV1().CustomResourceDefinitions().Patch(ctx, crd.Name, types.ApplyPatchType, data,
		metav1.PatchOptions{FieldManager: fieldManager, Force: new(true)})
	if err != nil {
		return fmt.Errorf("install CustomResourceDefinition %s: %w", crd.Name, err)
	}
	return nil
}

func waitEstablished(ctx context.Context, client clientset.Interface, crds []*apiextensionsv1.CustomResourceDefinition) error {
	waiting := sets.New[string]()
	for _, crd := range crds {
		waiting.Insert(crd.Name)
	}
	definitions := client.ApiextensionsV1().CustomResourceDefinitions()
	source := &toolscache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			return definitions.List(ctx, options)
		},
		WatchFuncWithContext: definitions.Watch,
	}
	_, err := watchtools.UntilWithSync(ctx, source, &apiextensionsv1.CustomResourceDefinition{}, nil,
		func(event watch.Event) (bool, error) {
			crd, ok := event.Object.(*apiextensionsv1.CustomResourceDefinition)
			if ok && apihelpers.IsCRDConditionTrue(crd, apiextensionsv1.Established) {
				waiting.Delete(crd.Name)
			}
			return len(waiting) == 0, nil
		})
	if err != nil {
		return fmt.Errorf("wait for CustomResourceDefinitions %v to be established: %w", sets.List(waiting), err)
	}
	return nil
}
