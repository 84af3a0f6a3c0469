package bucketaccess

import (
	"context"

	corev1 "k8s.io/api/core/v1"
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

// Reconciler grants and revokes the BucketAccesses of one driver. It touches no
// other driver's. It is safe for concurrent use for different BucketAccesses.
type Reconciler struct {
	desk      statuspatch.Desk
	driver    *driver.Driver
	obstacles *cosievents.Obstacles
	settled   *memory

	granting []statuspatch.Phase[*subject]
	revoking []statuspatch.Phase[*subject]
}

// subject is the BucketAccess that is being reconciled.
type subject struct {
	*statuspatch.Draft[*v1alpha2.BucketAccess]
	// secrets are the access Secrets as the API server has them, by their names,
	// once they have been claimed.
	secrets map[string]*corev1.Secret
	again   bool // is necessary: the cache and the API server do not agree
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

// NewReconciler returns a reconciler that grants access by a driver. The
// certificate authority, if there is one, goes into every Secret.
func NewReconciler(clients Clients, d *driver.Driver, recorder events.EventRecorder, certificateAuthority string) *Reconciler {
	settled := &memory{}
	secrets := &secretStore{client: clients.Secrets}
	return &Reconciler{
		desk:      statuspatch.Desk{Client: clients.Objects, Events: recorder},
		driver:    d,
		obstacles: cosievents.NewObstacles(recorder),
		settled:   settled,
		granting: []statuspatch.Phase[*subject]{
			&handoff{},
			&protection{},
			&targets{client: clients.Objects, driver: d},
			&settlement{memory: settled, cached: clients.Objects, live: clients.Secrets},
			&reservation{secrets: secrets},
			&identity{driver: d, ids: uniqueid.New(registered, clients.Objects)},
			&grant{driver: d, secrets: secrets, memory: settled, certificateAuthority: certificateAuthority},
		},
		revoking: []statuspatch.Phase[*subject]{
			&withdrawal{memory: settled},
			&removal{secrets: secrets, cached: clients.Objects},
			&revocation{driver: d},
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
	access := &subject{Draft: statuspatch.New(r.desk, stored, statusOf)}
	action, phases := cosievents.Provision, r.granting
	if !stored.DeletionTimestamp.IsZero() {
		action, phases = cosievents.Deprovision, r.revoking
	}
	err := statuspatch.Walk(ctx, access, phases)
	result, err := retry.Quietly(ctx, r.obstacles.Tell(stored, action, access.Report(ctx, action, err)))
	if access.again && err == nil {
		return retry.WithBackOff(), nil
	}
	return result, err
}
