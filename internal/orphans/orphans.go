// Package orphans compares the objects of COSI in a cluster with each other and with the listing of a backend. It finds
// objects, buckets and accounts that lack a counterpart, and changes nothing.
package orphans

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/driverlist"
	"github.com/cosi-emu/cosi-emu/internal/glob"
	"github.com/cosi-emu/cosi-emu/internal/oracle/checks"
	"github.com/cosi-emu/cosi-emu/internal/oracle/observed"
)

// Kind is the kind of an orphan.
type Kind string

// The kinds of orphans.
const (
	// UnrecordedBucket is a bucket of the backend that no Bucket records.
	UnrecordedBucket Kind = "UnrecordedBucket"
	// UnrecordedAccount is an account of the backend that no BucketAccess records.
	UnrecordedAccount Kind = "UnrecordedAccount"
	// MissingBucket is a Bucket whose bucket the backend lacks.
	MissingBucket Kind = "MissingBucket"
	// MissingAccount is a BucketAccess whose account the backend lacks.
	MissingAccount Kind = "MissingAccount"
	// BucketWithoutClaim is a Bucket whose BucketClaim does not exist.
	BucketWithoutClaim Kind = "BucketWithoutClaim"
	// SecretWithoutAccess is a Secret of COSI whose BucketAccess does not exist.
	SecretWithoutAccess Kind = "SecretWithoutAccess"
	// SecretWithoutFinalizer is the Secret of a BucketAccess that lacks COSI's finalizer.
	SecretWithoutFinalizer Kind = "SecretWithoutFinalizer"
	// LeaseWithoutDriver is the Lease of a driver that no object names, and no sidecar holds.
	LeaseWithoutDriver Kind = "LeaseWithoutDriver"
)

// Kinds returns all kinds, in the order in which Find reports them.
func Kinds() []Kind {
	return []Kind{
		UnrecordedBucket, UnrecordedAccount, MissingBucket, MissingAccount,
		BucketWithoutClaim, SecretWithoutAccess, SecretWithoutFinalizer, LeaseWithoutDriver,
	}
}

// Orphan is an object of the cluster, or a bucket or account of the backend, that lacks its counterpart.
type Orphan struct {
	Kind Kind `json:"kind"`
	// Object is the object, as "Bucket/NAME" or "Secret/NAMESPACE/NAME", or "bucket NAME" or "account ID" of the backend.
	Object string `json:"object"`
	// Problem names the missing part, and Action the remedy.
	Problem string `json:"problem"`
	Action  string `json:"action"`
}

// Cluster has the objects of a cluster.
type Cluster struct {
	Objects observed.Objects
	// Leases are the Leases of all sidecars.
	Leases []coordinationv1.Lease
	// Now is the time at which they were read.
	Now time.Time
}

// Backend is the listing of a backend. Nil lists are unknown, and not compared.
type Backend struct {
	// Buckets are names or IDs of buckets, and Accounts IDs of accounts.
	Buckets, Accounts []string
	// Driver limits the comparison to the objects of one driver. Empty means that the backend is the one of all.
	Driver string
	// Pattern selects the buckets and accounts that may be COSI's. Empty means all.
	Pattern string
}

// Find returns all orphans, sorted by kind and object.
func Find(cluster Cluster, backend Backend) []Orphan {
	o := &cluster.Objects
	found := slices.Concat(
		buckets(o, backend), accounts(o, backend), withoutClaim(o), secrets(o), leases(cluster),
	)
	order := Kinds()
	slices.SortFunc(found, func(a, b Orphan) int {
		return cmp.Or(cmp.Compare(slices.Index(order, a.Kind), slices.Index(order, b.Kind)), strings.Compare(a.Object, b.Object))
	})
	return found
}

func buckets(o *observed.Objects, backend Backend) []Orphan {
	if backend.Buckets == nil {
		return nil
	}
	recorded := checks.RecordedBuckets(o)
	for i := range o.Buckets {
		recorded[o.Buckets[i].Status.BucketInfo[v1alpha2.SecretKeyBucketName]] = true
	}
	var found []Orphan
	for _, name := range backend.Buckets {
		if !recorded[name] && backend.selects(name) {
			found = append(found, Orphan{
				Kind: UnrecordedBucket, Object: "bucket " + name,
				Problem: "no Bucket records it: no component will delete it",
				Action:  "import it with a Bucket that has spec.existingBucketID, or delete it in the backend",
			})
		}
	}
	for i := range o.Buckets {
		if b := &o.Buckets[i]; backend.serves(b.Spec.DriverName) && b.Status.BucketID != "" && !lists(backend.Buckets, b) {
			found = append(found, missingBucket(b))
		}
	}
	return found
}

// lists reports whether a listing has the bucket of a Bucket, by its ID or by its name for clients.
func lists(listed []string, b *v1alpha2.Bucket) bool {
	return slices.Contains(listed, b.Status.BucketID) || slices.Contains(listed, b.Status.BucketInfo[v1alpha2.SecretKeyBucketName])
}

func missingBucket(b *v1alpha2.Bucket) Orphan {
	action := "restore the bucket, or delete the BucketClaim and create it again: the data is lost"
	if b.DeletionTimestamp != nil {
		action = "wait: the Bucket is being deleted, and its conditions have the driver's answer"
	}
	return Orphan{
		Kind: MissingBucket, Object: "Bucket/" + b.Name,
		Problem: fmt.Sprintf("the backend of driver %s lacks its bucket %q", b.Spec.DriverName, b.Status.BucketID), Action: action,
	}
}

func accounts(o *observed.Objects, backend Backend) []Orphan {
	if backend.Accounts == nil {
		return nil
	}
	recorded := checks.RecordedAccounts(o)
	var found []Orphan
	for _, id := range backend.Accounts {
		if !recorded[id] && backend.selects(id) {
			found = append(found, Orphan{
				Kind: UnrecordedAccount, Object: "account " + id,
				Problem: "no BucketAccess records it: its credentials stay valid",
				Action:  "revoke it in the backend",
			})
		}
	}
	for i := range o.Accesses {
		a := &o.Accesses[i]
		if id := a.Status.AccountID; id != "" && backend.serves(a.Status.DriverName) && !slices.Contains(backend.Accounts, id) {
			found = append(found, Orphan{
				Kind: MissingAccount, Object: "BucketAccess/" + a.Namespace + "/" + a.Name,
				Problem: fmt.Sprintf("the backend lacks its account %q: its credentials do not work", id),
				Action:  "delete the BucketAccess, and create it again",
			})
		}
	}
	return found
}

// selects reports whether a bucket or account of the listing may be COSI's.
func (b Backend) selects(name string) bool { return b.Pattern == "" || glob.Match(b.Pattern, name) }

// serves reports whether the listing is of the backend of a driver.
func (b Backend) serves(driver string) bool { return b.Driver == "" || b.Driver == driver }

func withoutClaim(o *observed.Objects) []Orphan {
	claims := map[string]types.UID{}
	for i := range o.Claims {
		claims[o.Claims[i].Namespace+"/"+o.Claims[i].Name] = o.Claims[i].UID
	}
	var found []Orphan
	for i := range o.Buckets {
		b := &o.Buckets[i]
		ref := b.Spec.BucketClaimRef
		uid, exists := claims[ref.Namespace+"/"+ref.Name]
		if ref.UID == "" || exists && uid == ref.UID { // without a UID, it waits for a claim
			continue
		}
		problem := fmt.Sprintf("its BucketClaim %s/%s does not exist; the deletion policy is %s", ref.Namespace, ref.Name, b.Spec.DeletionPolicy)
		if exists {
			problem = fmt.Sprintf("its BucketClaim %s/%s was deleted, and another one has the name; the deletion policy is %s",
				ref.Namespace, ref.Name, b.Spec.DeletionPolicy)
		}
		found = append(found, Orphan{Kind: BucketWithoutClaim, Object: "Bucket/" + b.Name, Problem: problem, Action: bucketAction(b)})
	}
	return found
}

func bucketAction(b *v1alpha2.Bucket) string {
	switch {
	case b.DeletionTimestamp != nil:
		return "look at its conditions: it is being deleted"
	case b.Spec.DeletionPolicy == v1alpha2.DeletionPolicyRetain:
		return "delete the Bucket: the bucket and its data stay in the backend"
	default:
		return "delete the Bucket: the driver deletes the bucket and its data; to keep them, set spec.deletionPolicy to Retain before"
	}
}

func secrets(o *observed.Objects) []Orphan {
	accesses := map[string]bool{}
	for i := range o.Accesses {
		accesses[o.Accesses[i].Namespace+"/"+o.Accesses[i].Name] = true
	}
	var found []Orphan
	for i := range o.Secrets {
		s := &o.Secrets[i]
		orphan := Orphan{Object: "Secret/" + s.Namespace + "/" + s.Name}
		switch {
		case !accesses[s.Namespace+"/"+s.Access]:
			orphan.Kind = SecretWithoutAccess
			orphan.Problem = fmt.Sprintf("its BucketAccess %q does not exist, and it has the finalizers %q", s.Access, s.Finalizers)
			if s.Access == "" {
				orphan.Problem = fmt.Sprintf("it names no BucketAccess, and has the finalizers %q", s.Finalizers)
			}
			orphan.Action = "revoke its credentials in the backend, then remove the finalizers and delete it"
		case !s.Deleting && !slices.ContainsFunc(s.Finalizers, isCOSI):
			orphan.Kind = SecretWithoutFinalizer
			orphan.Problem = fmt.Sprintf("its BucketAccess %q exists, and COSI's finalizer is missing: anyone can delete it", s.Access)
			orphan.Action = "start the sidecar of its driver, which restores the finalizer"
		default:
			continue
		}
		found = append(found, orphan)
	}
	return found
}

func isCOSI(finalizer string) bool { return strings.Contains(finalizer, "objectstorage.k8s.io/") }

func leases(cluster Cluster) []Orphan {
	drivers := driversOf(&cluster.Objects)
	var found []Orphan
	for i := range cluster.Leases {
		lease := &cluster.Leases[i]
		driver := driverlist.NameOf(lease)
		if drivers[driver] || driverlist.IsHeld(lease, cluster.Now) {
			continue
		}
		found = append(found, Orphan{
			Kind: LeaseWithoutDriver, Object: "Lease/" + lease.Namespace + "/" + lease.Name,
			Problem: fmt.Sprintf("no sidecar of driver %s runs, and no class, Bucket or BucketAccess names the driver", driver),
			Action:  "delete it if the driver is gone for good: it reserves the name for the driver's group",
		})
	}
	return found
}

// driversOf returns the drivers that any object names, in lower case.
func driversOf(o *observed.Objects) map[string]bool {
	drivers := map[string]bool{}
	add := func(name string) { drivers[strings.ToLower(name)] = true }
	for i := range o.BucketClasses {
		add(o.BucketClasses[i].Spec.DriverName)
	}
	for i := range o.AccessClasses {
		add(o.AccessClasses[i].Spec.DriverName)
	}
	for i := range o.Buckets {
		add(o.Buckets[i].Spec.DriverName)
	}
	for i := range o.Accesses {
		add(o.Accesses[i].Status.DriverName)
	}
	return drivers
}

// BucketDrivers returns the drivers of all Buckets and accesses, sorted.
func BucketDrivers(o *observed.Objects) []string {
	var drivers []string
	for i := range o.Buckets {
		drivers = append(drivers, o.Buckets[i].Spec.DriverName)
	}
	for i := range o.Accesses {
		if name := o.Accesses[i].Status.DriverName; name != "" {
			drivers = append(drivers, name)
		}
	}
	slices.Sort(drivers)
	return slices.Compact(drivers)
}
