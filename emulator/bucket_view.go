package emulator

import (
	"context"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/bridge"
	"github.com/cosi-emu/cosi-emu/internal/bucketview"
	"github.com/cosi-emu/cosi-emu/internal/controlplane"
)

// ServeV1alpha1Buckets has an API server with the kinds of v1alpha2 serve Buckets in v1alpha1, too, for reading only: drivers of
// v1alpha1 read them. It does so by itself when a user's own driver of v1alpha1 gets a bridge. It does nothing with the kinds of
// v1alpha1, with definitions of the user's own, and in a cluster or a control plane that the emulator has not started.
func (e *Emulator) ServeV1alpha1Buckets(ctx context.Context) error {
	if e.opts.API == objectstorage.V1alpha1 || e.cluster != nil || e.opts.ControlPlane != nil || len(e.opts.CRDs) > 0 {
		return nil
	}
	e.viewing.Lock()
	defer e.viewing.Unlock()
	if e.bucketView == nil {
		view, err := bucketview.Listen(ctx, e.ownBucketID)
		if err != nil {
			return err
		}
		e.onStop(func(context.Context) error { return view.Close() })
		e.bucketView = view
	}
	if e.plane == nil || e.viewed {
		return nil // the control plane starts with it, or has it
	}
	if err := controlplane.InstallCRDs(ctx, e.ownConfig(), e.withBucketView(nil)); err != nil {
		return err
	}
	e.viewed = true
	return nil
}

// startingDefinitions returns the definitions for a control plane that starts, with the view if a driver needs it already.
func (e *Emulator) startingDefinitions() ([]*apiextensionsv1.CustomResourceDefinition, error) {
	definitions, err := e.opts.definitions()
	e.viewing.Lock()
	defer e.viewing.Unlock()
	if err == nil && e.bucketView != nil {
		definitions, e.viewed = e.withBucketView(definitions), true
	}
	return definitions, err
}

// withBucketView returns definitions with the view instead of the definition of Buckets.
func (e *Emulator) withBucketView(definitions []*apiextensionsv1.CustomResourceDefinition) []*apiextensionsv1.CustomResourceDefinition {
	view := e.bucketView.Definition
	others := slices.DeleteFunc(definitions, func(d *apiextensionsv1.CustomResourceDefinition) bool { return d.Name == view.Name })
	return append(others, view)
}

// ownBucketID returns the ID by which a driver knows a bucket.
func (e *Emulator) ownBucketID(ctx context.Context, id string) (string, error) {
	e.mu.Lock()
	stores := slices.Clone(e.bridgeIDs)
	e.mu.Unlock()
	for _, store := range stores {
		own, found, err := bridge.OwnBucketID(ctx, store, id)
		if err != nil || found {
			return own, err
		}
	}
	return id, nil
}
