package bucket

import (
	"context"

	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/sidecar/driver"
	"github.com/cosi-emu/cosi-emu/sidecar/internal/announcement"
	"github.com/cosi-emu/cosi-emu/sidecar/internal/draft"
	"github.com/cosi-emu/cosi-emu/sidecar/internal/finding"
	"github.com/cosi-emu/cosi-emu/sidecar/internal/retry"
)

// Reconciler provisions and deprovisions the Buckets of one driver. It touches
// no other driver's. It is safe for concurrent use for different Buckets.
type Reconciler struct {
	desk   draft.Desk
	driver *driver.Driver

	provisioning   []phase
	deprovisioning []phase
}

// A phase is one step on the way of a Bucket. It reports whether the next phase
// is to be walked. An error ends the walk; a finding among the errors is written
// into the Bucket's conditions.
type phase interface {
	walk(ctx context.Context, bucket *subject) (goOn bool, err error)
}

// subject is the Bucket that is being reconciled.
type subject = draft.Draft[*v1alpha2.Bucket]

// NewReconciler returns a reconciler that reads and writes Buckets through a
// client and provisions them by a driver.
func NewReconciler(c client.Client, d *driver.Driver, recorder events.EventRecorder) *Reconciler {
	return &Reconciler{
		desk:   draft.Desk{Client: c, Events: recorder},
		driver: d,
		provisioning: []phase{
			&release{},
			&validation{driver: d},
			&protection{},
			&identity{driver: d},
			&provision{driver: d},
		},
		deprovisioning: []phase{
			&permission{},
			&deletion{driver: d},
			&departure{events: recorder},
		},
	}
}

// Reconcile implements reconcile.Reconciler.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	stored := &v1alpha2.Bucket{}
	if err := r.desk.Client.Get(ctx, request.NamespacedName, stored); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if !ownedBy(stored, r.driver) {
		return reconcile.Result{}, nil
	}
	bucket := draft.New(r.desk, stored, conditionsOf)
	if !stored.DeletionTimestamp.IsZero() {
		return retry.Quietly(ctx, r.walk(ctx, bucket, r.deprovisioning, announcement.Deprovision))
	}
	return retry.Quietly(ctx, r.walk(ctx, bucket, r.provisioning, announcement.Provision))
}

// walk goes through the phases and then writes the status once, on change. An
// error that is no finding, such as a conflict, is not the user's: it changes
// nothing in the status.
func (r *Reconciler) walk(ctx context.Context, bucket *subject, phases []phase, action announcement.Action) error {
	distrust(bucket.Object)
	err := walkAll(ctx, bucket, phases)
	found, isFinding := finding.As(err)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil && !isFinding:
		return err
	}
	if isGone(bucket.Object) {
		return nil
	}
	conclude(bucket.Object, found)
	if saveErr := bucket.SaveStatus(ctx, action); saveErr != nil {
		return saveErr
	}
	return err
}

func walkAll(ctx context.Context, bucket *subject, phases []phase) error {
	for _, p := range phases {
		if goOn, err := p.walk(ctx, bucket); err != nil || !goOn {
			return err
		}
	}
	return nil
}
