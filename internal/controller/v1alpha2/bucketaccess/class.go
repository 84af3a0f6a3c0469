package bucketaccess

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosireconcile "github.com/cosi-emu/cosi-emu/internal/reconcile"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
)

func (a *attempt) findClass(ctx context.Context) error {
	name, class := a.Object.Spec.BucketAccessClassName, &v1alpha2.BucketAccessClass{}
	err := a.Client.Get(ctx, client.ObjectKey{Name: name}, class)
	switch {
	case apierrors.IsNotFound(err):
		return reasons.Waiting(v1alpha2.ReasonBucketAccessClassNotFound,
			"waiting for BucketAccessClass %q, which does not exist", name)
	case err != nil:
		return fmt.Errorf("get BucketAccessClass %s: %w", name, err)
	}
	if err := v1alpha2.CheckDriverName(class.Spec.DriverName); err != nil {
		return reasons.Invalid(v1alpha2.ReasonInvalidSpec,
			"BucketAccessClass %q has an invalid driver name: spec.driverName: %v; create the class again with a valid name", name, err)
	}
	a.class = class
	return nil
}

// confirmClass prevents that the sidecar grants access by a class that is not that any more.
func (a *attempt) confirmClass(ctx context.Context) error {
	return cosireconcile.ConfirmCurrent(ctx, a.Live, a.class)
}
