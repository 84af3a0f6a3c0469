package bucketaccess

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// minRenewal is the shortest time between two grants of credentials that expire. It limits the calls to a driver that returns
// the old ones again.
const minRenewal = 10 * time.Second

// renewals has, for each access whose credentials expire, when the driver is asked for new ones. It is empty after each start of
// the sidecar, which grants each access once more. It is safe for concurrent use.
type renewals struct {
	mu sync.Mutex
	at map[types.NamespacedName]renewal
}

type renewal struct {
	access types.UID
	at     time.Time
}

// set remembers when an access is granted again. The zero time is never.
func (r *renewals) set(access *v1alpha2.BucketAccess, at time.Time) {
	if at.IsZero() {
		r.forget(client.ObjectKeyFromObject(access))
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.at == nil {
		r.at = map[types.NamespacedName]renewal{}
	}
	r.at[client.ObjectKeyFromObject(access)] = renewal{access: access.UID, at: at}
}

// get returns when an access is granted again, or the zero time.
func (r *renewals) get(access *v1alpha2.BucketAccess) time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	if found := r.at[client.ObjectKeyFromObject(access)]; found.access == access.UID {
		return found.at
	}
	return time.Time{}
}

func (r *renewals) forget(access types.NamespacedName) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.at, access)
}

// isDue reports whether the credentials of the access are to be renewed. If not yet, the access is reconciled again then.
func (a *attempt) isDue() bool {
	at := a.renewals.get(a.Object)
	if at.IsZero() {
		return false
	}
	left := time.Until(at)
	if left > 0 {
		a.RequeueAfter(left)
	}
	return left <= 0
}

// planRenewal has the access granted again before its credentials expire.
func (a *attempt) planRenewal(credentials *cosiv1alpha2.CredentialInfo) {
	now := time.Now()
	at := renewalTime(now, credentials)
	a.renewals.set(a.Object, at)
	if !at.IsZero() {
		a.RequeueAfter(at.Sub(now))
	}
}

// renewalTime returns when the driver is asked for new credentials: as with the kubelet's tokens, when four fifths of their time
// have passed. It is zero for those that do not expire, and for those that have: what a driver returns again and again does not get
// better. Only Azure's have an end in the response.
func renewalTime(now time.Time, credentials *cosiv1alpha2.CredentialInfo) time.Time {
	expires, err := time.Parse(time.RFC3339, credentials.GetAzure().GetExpiryTimestamp())
	if valid := expires.Sub(now); err == nil && valid > 0 {
		return now.Add(max(valid/5*4, minRenewal))
	}
	return time.Time{}
}
