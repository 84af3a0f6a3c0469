package bucket

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosievents "github.com/cosi-emu/cosi-emu/internal/reconcile/events"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/retry"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/driver"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/statuspatch"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/uniqueid"
)

// Reconciler provisions and deprovisions the Buckets of one driver. It touches
// no other driver's. It is safe for concurrent use for different Buckets.
type Reconciler struct {
	desk      statuspatch.Desk
	driver    *driver.Driver
	obstacles *cosievents.Obstacles
	departed  *departed

	provisioning   []statuspatch.Phase[*subject]
	deprovisioning []statuspatch.Phase[*subject]
}

// subject is the Bucket that is being reconciled.
type subject = statuspatch.Draft[*v1alpha2.Bucket]

// NewReconciler returns a reconciler that reads and writes Buckets through a
// client and provisions them by a driver.
func NewReconciler(c client.Client, d *driver.Driver, recorder events.EventRecorder) *Reconciler {
	gone := &departed{}
	return &Reconciler{
		desk:      statuspatch.Desk{Client: c, Events: recorder},
		driver:    d,
		obstacles: cosievents.NewObstacles(recorder),
		departed:  gone,
		provisioning: []statuspatch.Phase[*subject]{
			&release{},
			&validation{driver: d},
			&protection{},
			&identity{driver: d, ids: uniqueid.New(registered, c)},
			&provision{driver: d},
		},
		deprovisioning: []statuspatch.Phase[*subject]{
			&permission{},
			&deletion{driver: d},
			&departure{departed: gone},
		},
	}
}

// Reconcile implements reconcile.Reconciler.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	stored := &v1alpha2.Bucket{}
	if err := r.desk.Client.Get(ctx, request.NamespacedName, stored); err != nil {
		if apierrors.IsNotFound(err) {
			r.departed.forget(request.NamespacedName)
		}
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if !ownedBy(stored, r.driver) || r.departed.has(stored) {
		return reconcile.Result{}, nil
	}
	bucket := statuspatch.New(r.desk, stored, statusOf)
	action, phases := cosievents.Provision, r.provisioning
	if !stored.DeletionTimestamp.IsZero() {
		action, phases = cosievents.Deprovision, r.deprovisioning
	}
	err := statuspatch.Walk(ctx, bucket, phases)
	return retry.Quietly(ctx, r.obstacles.Tell(stored, action, bucket.Report(ctx, action, err)))
}
