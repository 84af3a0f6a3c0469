package emulator

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/generation"
)

// Names of the default classes.
const (
	// ClassStandard is a BucketClass with deletion policy Delete, and a
	// BucketAccessClass with keys for one bucket.
	ClassStandard = "standard"
	// ClassStandardRetain is a BucketClass with deletion policy Retain.
	ClassStandardRetain = "standard-retain"
	// ClassMultiBucket is a BucketAccessClass with keys for several buckets; it does not exist in
	// v1alpha1.
	ClassMultiBucket = "multi-bucket"
)

func (e *Emulator) createClasses(ctx context.Context) error {
	parameters := e.opts.BucketParameters
	if parameters == nil && e.opts.fake() {
		// On a laptop, the deletion of a claim should succeed although its bucket contains objects.
		parameters = map[string]string{fakedriver.ParameterNonEmptyDeletion: fakedriver.NonEmptyPurge}
	}
	create := e.createClass
	if e.opts.Cluster != nil {
		create = e.createInCluster
	}
	classes := generation.Classes{
		Standard: ClassStandard, StandardRetain: ClassStandardRetain, MultiBucket: ClassMultiBucket,
		Driver: e.info.DriverName, BucketParameters: parameters, AccessParameters: e.opts.AccessParameters,
	}
	for _, class := range e.generation().Classes(classes) {
		if err := create(ctx, class); err != nil {
			return err
		}
	}
	return nil
}

func (e *Emulator) createClass(ctx context.Context, class client.Object) error {
	if err := client.IgnoreAlreadyExists(e.client.Create(ctx, class)); err != nil {
		return fmt.Errorf("create class %s: %w", class.GetName(), err)
	}
	return nil
}
