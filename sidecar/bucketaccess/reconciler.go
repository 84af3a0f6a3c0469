package bucketaccess

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
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

// Reconciler grants and revokes the BucketAccesses of one driver. It touches no
// other driver's. It is safe for concurrent use for different BucketAccesses.
type Reconciler struct {
	desk    draft.Desk
	driver  *driver.Driver
	settled *memory

	granting []phase
	revoking []phase
}

// A phase is one step on the way of a BucketAccess. It reports whether the next
// phase is to be walked. An error ends the walk; a finding among the errors is
// written into the BucketAccess's conditions.
type phase interface {
	walk(ctx context.Context, access *subject) (goOn bool, err error)
}

// subject is the BucketAccess that is being reconciled.
type subject struct {
	*draft.Draft[*v1alpha2.BucketAccess]
	// secrets are the access Secrets as the API server has them, by their names,
	// once they have been claimed.
	secrets map[string]*corev1.Secret
}

// Clients are the ways to the API server.
type Clients struct {
	// Objects reads Buckets, BucketAccesses, and the metadata of Secrets from a
	// cache.
	Objects client.Client
	// Secrets reads without a cache: the Secrets of a whole cluster do not
	// belong into the memory of a sidecar.
	Secrets client.Client
}

// NewReconciler returns a reconciler that grants access by a driver.
func NewReconciler(clients Clients, d *driver.Driver, recorder events.EventRecorder) *Reconciler {
	settled := &memory{}
	secrets := &secretStore{client: clients.Secrets}
	return &Reconciler{
		desk:    draft.Desk{Client: clients.Objects, Events: recorder},
		driver:  d,
		settled: settled,
		granting: []phase{
			&handoff{},
			&protection{},
			&targets{client: clients.Objects, driver: d},
			&settlement{memory: settled, cached: clients.Objects, live: clients.Secrets},
			&reservation{secrets: secrets},
			&identity{driver: d},
			&grant{driver: d, secrets: secrets, memory: settled},
		},
		revoking: []phase{
			&withdrawal{memory: settled},
			&removal{secrets: secrets},
			&revocation{driver: d, events: recorder},
			&handback{},
		},
	}
}

// Reconcile implements reconcile.Reconciler.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	stored := &v1alpha2.BucketAccess{}
	if err := r.desk.Client.Get(ctx, request.NamespacedName, stored); err != nil {
		if apierrors.IsNotFound(err) {
			r.settled.forget(request.NamespacedName)
		}
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if !ownedBy(stored, r.driver) {
		return reconcile.Result{}, nil
	}
	access := &subject{Draft: draft.New(r.desk, stored, conditionsOf)}
	if !stored.DeletionTimestamp.IsZero() {
		return retry.Quietly(ctx, walk(ctx, access, r.revoking, announcement.Deprovision))
	}
	return retry.Quietly(ctx, walk(ctx, access, r.granting, announcement.Provision))
}

// walk goes through the phases and then writes the status once, on change. An
// error that is no finding, such as a conflict, is not the user's: it changes
// nothing in the status.
func walk(ctx context.Context, access *subject, phases []phase, action announcement.Action) error {
	distrust(access.Object)
	err := walkAll(ctx, access, phases)
	found, isFinding := finding.As(err)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil && !isFinding:
		return err
	}
	if isCleanedUp(access.Object) {
		return nil
	}
	conclude(access.Object, found)
	if saveErr := access.SaveStatus(ctx, action); saveErr != nil {
		return saveErr
	}
	return err
}

func walkAll(ctx context.Context, access *subject, phases []phase) error {
	for _, p := range phases {
		if goOn, err := p.walk(ctx, access); err != nil || !goOn {
			return err
		}
	}
	return nil
}
