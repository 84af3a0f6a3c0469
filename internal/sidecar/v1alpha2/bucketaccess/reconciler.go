package bucketaccess

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosireconcile "github.com/cosi-emu/cosi-emu/internal/reconcile"
	cosievents "github.com/cosi-emu/cosi-emu/internal/reconcile/events"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/connection"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/inflight"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/secretstore"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/uniqueid"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/v1alpha2/driver"
)

// reconciler grants and revokes the BucketAccesses of one driver.
type reconciler struct {
	driver *driver.Driver
	line   *inflight.Line
	// cached reads Buckets, BucketAccesses, and the metadata of Secrets.
	cached client.Reader
	// live reads from the API server itself.
	live       client.Reader
	secrets    secretstore.Store
	versions   secretstore.Versions
	rejections connection.Rejections
	renewals   renewals
	ids        *uniqueid.Register[*v1alpha2.BucketAccess]
	options    Options
}

// Options are settings of the sidecar.
type Options struct {
	// CertificateAuthority is copied into every Secret; empty for none.
	CertificateAuthority string
	SecretKeys           []v1alpha2.SecretKeySet
}

// attempt is one reconcile of one access. Its phases are its methods.
type attempt struct {
	*reconciler
	*cosireconcile.Patcher[*v1alpha2.BucketAccess]

	// reserved are the access Secrets as the API server has them, by their names.
	reserved map[string]*corev1.Secret
}

// Clients read and write at the API server.
type Clients struct {
	// Cached reads Buckets, BucketAccesses, and the metadata of Secrets from a cache.
	Cached client.Client
	// Live reads without a cache: Secrets, because the sidecar's memory should not hold the Secrets
	// of a whole cluster, and everything that an irreversible step depends on.
	Live client.Client
}

// NewReconciler returns a reconciler that grants access by a driver. Its calls wait in the line for
// their turn.
func NewReconciler(
	clients Clients, d *driver.Driver, line *inflight.Line, recorder events.EventRecorder, options Options,
) *cosireconcile.Runner[*v1alpha2.BucketAccess] {
	return newReconciler(clients, d, line, options).runner(clients, recorder)
}

func newReconciler(clients Clients, d *driver.Driver, line *inflight.Line, options Options) *reconciler {
	return &reconciler{
		driver: d, line: line, cached: clients.Cached, live: clients.Live,
		secrets: secretstore.Store{Client: clients.Live, Finalizer: v1alpha2.ProtectionFinalizer},
		ids:     uniqueid.New(byID, clients.Cached, clients.Live), options: options,
	}
}

func (r *reconciler) runner(clients Clients, recorder events.EventRecorder) *cosireconcile.Runner[*v1alpha2.BucketAccess] {
	return &cosireconcile.Runner[*v1alpha2.BucketAccess]{
		Client: clients.Cached, Live: clients.Live, Recorder: recorder, APIErrors: cosievents.NewAPIErrors(recorder),
		Owns:   func(access *v1alpha2.BucketAccess) bool { return ownedBy(access, r.driver) },
		Status: runnerStatus, Forget: r.forget,
		Provision: func(p *cosireconcile.Patcher[*v1alpha2.BucketAccess]) []cosireconcile.Phase {
			a := &attempt{reconciler: r, Patcher: p}
			return []cosireconcile.Phase{
				a.recordUse, a.checkHandOff, a.addFinalizer, a.checkBuckets, a.checkUpToDate, a.ensureSecrets, a.generateID, a.grant,
			}
		},
		Deprovision: func(p *cosireconcile.Patcher[*v1alpha2.BucketAccess]) []cosireconcile.Phase {
			a := &attempt{reconciler: r, Patcher: p}
			return []cosireconcile.Phase{a.recordUse, a.markUnready, a.checkUnused, a.deleteSecrets, a.revoke, a.finishCleanup}
		},
	}
}

func (r *reconciler) forget(_ context.Context, access client.ObjectKey) error {
	r.versions.Forget(access)
	r.rejections.Forget(access)
	r.renewals.forget(access)
	return nil
}
