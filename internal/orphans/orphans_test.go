package orphans_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/driverlist"
	"github.com/cosi-emu/cosi-emu/internal/oracle/observed"
	"github.com/cosi-emu/cosi-emu/internal/orphans"
)

const driver = "a.example.com"

var now = time.Date(2026, time.March, 4, 5, 6, 7, 0, time.UTC)

// healthy returns a cluster without orphans, whose backend has bucket id-photos and account id-reader.
func healthy() *orphans.Cluster {
	claim := v1alpha2.BucketClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "demo", Name: "photos", UID: "1"}}
	bucket := v1alpha2.Bucket{ObjectMeta: metav1.ObjectMeta{Name: "bc-1"}}
	bucket.Spec.DriverName, bucket.Spec.DeletionPolicy = driver, v1alpha2.DeletionPolicyDelete
	bucket.Spec.BucketClaimRef = v1alpha2.BucketClaimReference{Namespace: "demo", Name: "photos", UID: "1"}
	bucket.Status.BucketID = "id-photos"
	access := v1alpha2.BucketAccess{ObjectMeta: metav1.ObjectMeta{Namespace: "demo", Name: "reader"}}
	access.Status.AccountID, access.Status.DriverName = "id-reader", driver
	return &orphans.Cluster{Now: now, Objects: observed.Objects{
		Claims: []v1alpha2.BucketClaim{claim}, Buckets: []v1alpha2.Bucket{bucket}, Accesses: []v1alpha2.BucketAccess{access},
		Secrets: []observed.AccessSecret{{Namespace: "demo", Name: "keys", Access: "reader", Finalizers: []string{v1alpha2.ProtectionFinalizer}}},
	}, Leases: []coordinationv1.Lease{lease(driver, "pod-1", now)}}
}

func lease(of, holder string, renewed time.Time) coordinationv1.Lease {
	lease := coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: "cosi-system", Name: driverlist.LeasePrefix + of}}
	lease.Spec.HolderIdentity, lease.Spec.LeaseDurationSeconds = &holder, new(int32(10))
	lease.Spec.RenewTime = &metav1.MicroTime{Time: renewed}
	return lease
}

// TestFind: each change of a healthy cluster or its backend is one orphan, or none.
func TestFind(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, reason string
		change       func(c *orphans.Cluster, b *orphans.Backend)
		want         []string
	}{
		{name: "healthy", reason: "all have their counterparts", change: func(*orphans.Cluster, *orphans.Backend) {}},
		{
			name: "another bucket", reason: "no Bucket records it", want: []string{"UnrecordedBucket bucket other"},
			change: func(_ *orphans.Cluster, b *orphans.Backend) { b.Buckets = append(b.Buckets, "other") },
		},
		{
			name: "bucket of another user", reason: "the pattern excludes it",
			change: func(_ *orphans.Cluster, b *orphans.Backend) {
				b.Buckets, b.Pattern = append(b.Buckets, "other"), "id-*"
			},
		},
		{
			name: "imported bucket", reason: "a Bucket names it, although it is not provisioned yet",
			change: func(c *orphans.Cluster, b *orphans.Backend) {
				b.Buckets = append(b.Buckets, "legacy")
				imported := v1alpha2.Bucket{ObjectMeta: metav1.ObjectMeta{Name: "legacy"}}
				imported.Spec.ExistingBucketID = "legacy"
				c.Objects.Buckets = append(c.Objects.Buckets, imported)
			},
		},
		{
			name: "bucket by its name", reason: "S3 lists names, and the driver has IDs",
			change: func(c *orphans.Cluster, b *orphans.Backend) {
				b.Buckets = []string{"photos"}
				c.Objects.Buckets[0].Status.BucketInfo = map[string]string{v1alpha2.SecretKeyBucketName: "photos"}
			},
		},
		{
			name: "no bucket", reason: "the data is lost", want: []string{"MissingBucket Bucket/bc-1"},
			change: func(_ *orphans.Cluster, b *orphans.Backend) { b.Buckets = []string{} },
		},
		{
			name: "backend of another driver", reason: "the Bucket's bucket is elsewhere",
			change: func(_ *orphans.Cluster, b *orphans.Backend) {
				b.Buckets, b.Accounts, b.Driver = []string{}, []string{}, "b.example.com"
			},
		},
		{
			name: "unknown backend", reason: "only objects are compared",
			change: func(_ *orphans.Cluster, b *orphans.Backend) { *b = orphans.Backend{} },
		},
		{
			name: "another account", reason: "no access records it", want: []string{"UnrecordedAccount account other"},
			change: func(_ *orphans.Cluster, b *orphans.Backend) { b.Accounts = append(b.Accounts, "other") },
		},
		{
			name: "no account", reason: "the credentials do not work", want: []string{"MissingAccount BucketAccess/demo/reader"},
			change: func(_ *orphans.Cluster, b *orphans.Backend) { b.Accounts = []string{} },
		},
		{
			name: "no claim", reason: "it was deleted without its finalizer", want: []string{"BucketWithoutClaim Bucket/bc-1"},
			change: func(c *orphans.Cluster, _ *orphans.Backend) { c.Objects.Claims = nil },
		},
		{
			name: "another claim of the name", reason: "the Bucket is not for it", want: []string{"BucketWithoutClaim Bucket/bc-1"},
			change: func(c *orphans.Cluster, _ *orphans.Backend) { c.Objects.Claims[0].UID = "2" },
		},
		{
			name: "static Bucket", reason: "it waits for its claim",
			change: func(c *orphans.Cluster, _ *orphans.Backend) {
				c.Objects.Claims, c.Objects.Buckets[0].Spec.BucketClaimRef.UID = nil, ""
			},
		},
		{
			name: "no access", reason: "nothing removes the finalizer of its Secret",
			want:   []string{"UnrecordedAccount account id-reader", "SecretWithoutAccess Secret/demo/keys"},
			change: func(c *orphans.Cluster, _ *orphans.Backend) { c.Objects.Accesses = nil },
		},
		{
			name: "no finalizer", reason: "anyone can delete the Secret", want: []string{"SecretWithoutFinalizer Secret/demo/keys"},
			change: func(c *orphans.Cluster, _ *orphans.Backend) {
				c.Objects.Secrets[0].Finalizers = []string{"example.com/mine"}
			},
		},
		{
			name: "Secret that is being deleted", reason: "the sidecar has removed its finalizer",
			change: func(c *orphans.Cluster, _ *orphans.Backend) {
				c.Objects.Secrets[0].Finalizers, c.Objects.Secrets[0].Deleting = nil, true
			},
		},
		{
			name: "Lease of another driver", reason: "its holder is gone",
			want: []string{"LeaseWithoutDriver Lease/cosi-system/cosi-sidecar-leader-b"},
			change: func(c *orphans.Cluster, _ *orphans.Backend) {
				c.Leases = append(c.Leases, lease("b", "pod-2", now.Add(-time.Minute)), lease("c", "pod-3", now.Add(-time.Second)))
			},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			cluster, backend := healthy(), orphans.Backend{Buckets: []string{"id-photos"}, Accounts: []string{"id-reader"}}
			tc.change(cluster, &backend)
			var got []string
			for _, o := range orphans.Find(*cluster, backend) {
				got = append(got, string(o.Kind)+" "+o.Object)
				if o.Problem == "" || o.Action == "" {
					t.Errorf("%s: problem %q, action %q", o.Object, o.Problem, o.Action)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}
