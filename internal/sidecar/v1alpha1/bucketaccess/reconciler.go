// Package bucketaccess grants and revokes access to the buckets of one driver of v1alpha1, and
// maintains the Secrets for applications. The driver returns the ID of an account only after its
// creation, and class, claim and Bucket may not exist any more when the access is deleted. So the
// access gets a record of everything that the revocation needs, and a finalizer, before the first
// call.
package bucketaccess

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosireconcile "github.com/cosi-emu/cosi-emu/internal/reconcile"
	cosievents "github.com/cosi-emu/cosi-emu/internal/reconcile/events"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/watched"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/connection"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/inflight"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/secretstore"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/v1alpha1/driver"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/v1alpha1/giveup"
)

// reconciler grants and revokes the BucketAccesses of one driver.
type reconciler struct {
	driver     *driver.Driver
	line       *inflight.Line
	cached     client.Reader
	live       client.Client
	secrets    secretstore.Store
	versions   secretstore.Versions
	released   cosireconcile.Released
	unsaved    unsaved
	rejections connection.Rejections
	failures   giveup.Counter
	options    Options
}

// Options are settings of the sidecar.
type Options struct {
	// CertificateAuthority is copied into every Secret; empty for none.
	CertificateAuthority string
	// S3Endpoint and S3Region are for applications if the driver returns none.
	S3Endpoint, S3Region string
	// Namespaces are those that the sidecar serves.
	Namespaces watched.Namespaces
	// Strict rejects accesses and classes with meaningless values that the API allows.
	Strict bool
}

// attempt is one reconcile of one access. Its phases are its methods.
type attempt struct {
	*reconciler
	*cosireconcile.Patcher[*v1alpha1.BucketAccess]

	class    *v1alpha1.BucketAccessClass // nil without one
	bucket   *v1alpha1.Bucket
	secret   *corev1.Secret
	upToDate bool // the access is granted and its Secret is correct
}

// Clients read and write at the API server.
type Clients struct {
	// Cached reads all kinds, and the metadata of Secrets, from a cache.
	Cached client.Client
	// Live reads without a cache: Secrets, because the sidecar's memory should not hold the Secrets
	// of a whole cluster, and everything that an irreversible step depends on.
	Live client.Client
}

// NewReconciler returns a reconciler that grants access by a driver. Its calls wait in the line for
// their turn.
func NewReconciler(
	clients Clients, d *driver.Driver, line *inflight.Line, recorder cosievents.Recorder, options Options,
) *cosireconcile.Runner[*v1alpha1.BucketAccess] {
	return newReconciler(clients, d, line, options).runner(clients, recorder)
}

func newReconciler(clients Clients, d *driver.Driver, line *inflight.Line, options Options) *reconciler {
	return &reconciler{
		driver: d, line: line, cached: clients.Cached, live: clients.Live,
		secrets: secretstore.Store{Client: clients.Live, Finalizer: v1alpha1.SecretFinalizer},
		options: options,
	}
}

func (r *reconciler) runner(clients Clients, recorder cosievents.Recorder) *cosireconcile.Runner[*v1alpha1.BucketAccess] {
	return &cosireconcile.Runner[*v1alpha1.BucketAccess]{
		Client: clients.Cached, Live: clients.Live, Recorder: recorder, Strict: r.options.Strict,
		APIErrors: cosievents.NewAPIErrors(recorder), Failures: cosievents.NewFailures(recorder),
		Owns:   r.owns,
		Status: func(*v1alpha1.BucketAccess) cosireconcile.Status { return cosireconcile.NoConditions{} },
		Forget: r.forget,
		Provision: func(p *cosireconcile.Patcher[*v1alpha1.BucketAccess]) []cosireconcile.Phase {
			a := &attempt{reconciler: r, Patcher: p}
			return []cosireconcile.Phase{a.settleUnsaved, a.findClass, a.checkSpec, a.checkUpToDate, a.findBucket, a.checkSecret, a.grant}
		},
		Deprovision: func(p *cosireconcile.Patcher[*v1alpha1.BucketAccess]) []cosireconcile.Phase {
			a := &attempt{reconciler: r, Patcher: p}
			return []cosireconcile.Phase{a.settleUnsaved, a.identify, a.checkUnused, a.deleteSecret, a.revoke, a.removeFinalizer}
		},
	}
}

// owns reports whether the access may be the driver's. An access that is being deleted
// without the finalizer was never granted, or has been released.
func (r *reconciler) owns(access *v1alpha1.BucketAccess) bool {
	record := recordOf(access)
	return (record == nil || r.driver.Serves(record.DriverName)) && !isReleased(access) && !r.released.Has(access)
}

func (r *reconciler) forget(ctx context.Context, access client.ObjectKey) error {
	r.versions.Forget(access)
	r.released.Forget(access)
	r.rejections.Forget(access)
	return r.revokeUnsaved(ctx, access, "")
}

func (a *attempt) removeFinalizer(ctx context.Context) error {
	err := a.PatchMetadata(ctx, func(access *v1alpha1.BucketAccess) {
		controllerutil.RemoveFinalizer(access, v1alpha1.BucketAccessFinalizer)
	})
	if err != nil {
		return err
	}
	if len(a.Object.GetFinalizers()) == 0 {
		a.released.Add(a.Object)
	}
	a.failures.Forget(a.Object.UID)
	a.versions.Forget(client.ObjectKeyFromObject(a.Object))
	a.Event(v1alpha2.ReasonDeprovisioned, "the access has been revoked")
	return nil
}

func isProtected(access *v1alpha1.BucketAccess) bool {
	return controllerutil.ContainsFinalizer(access, v1alpha1.BucketAccessFinalizer)
}

func isAccessed(bucket *v1alpha1.Bucket) bool {
	return controllerutil.ContainsFinalizer(bucket, v1alpha1.BucketAccessBucketFinalizer)
}
