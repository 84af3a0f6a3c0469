package env

import (
	"context"
	"errors"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/hub"
	"github.com/cosi-emu/cosi-emu/internal/hub/cause"
)

var (
	// errFinal means that COSI has rejected the access, its claim or its Bucket, and does not retry.
	errFinal = errors.New("COSI does not retry until an object is corrected")
	// errMissing means that the access or its claim names an object that does not exist.
	errMissing = errors.New("an object is missing")
)

// notReady returns the error of an access that is not ready.
func notReady(ctx context.Context, c client.Client, version objectstorage.Version, access *v1alpha2.BucketAccess) error {
	err := fmt.Errorf("BucketAccess %s: %w", client.ObjectKeyFromObject(access), ErrNotReady)
	lists, listErr := hub.Read(ctx, c, version, hub.Options{Namespace: access.Namespace})
	if listErr != nil {
		return fmt.Errorf("%w; its cause is unknown: %w", err, listErr)
	}
	causes := cause.OfAccess(&lists, access)
	switch {
	case len(causes) == 0:
		return err
	case causes.Kind() == cause.Final:
		err = fmt.Errorf("%w, %w", err, errFinal)
	case causes.Kind() == cause.Missing:
		err = fmt.Errorf("%w, %w", err, errMissing)
	}
	return fmt.Errorf("%w: %s", err, causes)
}
