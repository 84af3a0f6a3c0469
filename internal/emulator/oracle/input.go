package oracle

import (
	"k8s.io/apimachinery/pkg/types"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/emulator/eventscope"
)

// Input is all that Judge goes by. The Watcher has removed all secrets from it.
type Input struct {
	// Scope says what is judged.
	Scope eventscope.Scope `json:"scope"`
	// Drivers are the names of the drivers, by the sidecars that serve them.
	Drivers map[string]string `json:"drivers,omitempty"`
	// Events are what the journal has of the time that is judged, in its order.
	// Those that are not of the scope do no harm.
	Events []journal.Event `json:"events,omitempty"`
	// Incomplete says that events are missing at the beginning: then nothing is
	// concluded from what was not seen.
	Incomplete bool `json:"incomplete,omitempty"`
	// Before is what there was when the time began; nil means nothing is known
	// of it, and all that was there is judged too.
	Before *Observation `json:"before,omitempty"`
	// Observations are what was seen when nothing was going on, in the order of
	// time.
	Observations []Observation `json:"moments,omitempty"`
	// External are the buckets and accounts of the backend that were changed past
	// COSI, and the objects, KIND/NAME, whose finalizers were taken off by hand.
	// Neither a leak nor a loss of these is COSI's.
	External []string `json:"touched,omitempty"`
	// Purging are drivers that delete buckets with their objects, with any class.
	Purging []string `json:"purging,omitempty"`
	// DefaultDelays says that components retry with their default delays, so that the
	// pace of retries can be judged.
	DefaultDelays bool `json:"defaultDelays,omitempty"`
	// SecretLeaks are the secrets that were found in objects other than Secrets. Those in
	// events are in the events.
	SecretLeaks []SecretLeak `json:"sightings,omitempty"`
}

// Observation is how things were at one time.
type Observation struct {
	// Name says which, for messages: "at the end", "after the clean-up".
	Name string `json:"name"`
	// After is the number of the last event before the moment, and Until that of
	// the last one when all had been looked at. There should be none between.
	After uint64 `json:"after"`
	Until uint64 `json:"until"`
	// Active says that the components never became idle, though time was given.
	Active bool `json:"restless,omitempty"`
	// Objects are those of Kubernetes.
	Objects Objects `json:"objects"`
	// Backend is what the backend has, or nil if it is not the emulator's.
	Backend *BackendState `json:"truth,omitempty"`
	// KeyUses are what the keys that were ever given open in the emulator's store.
	KeyUses []KeyUse `json:"keyUses,omitempty"`
}

// KeyUse is a bucket that a key of an account opens, without the key. An empty bucket is
// the list of buckets.
type KeyUse struct {
	Account string `json:"account"`
	Bucket  string `json:"bucket,omitempty"`
}

// Objects are objects of Kubernetes, those of COSI and what belongs to them.
type Objects struct {
	Claims   []v1alpha2.BucketClaim  `json:"claims,omitempty"`
	Buckets  []v1alpha2.Bucket       `json:"buckets,omitempty"`
	Accesses []v1alpha2.BucketAccess `json:"accesses,omitempty"`
	Secrets  []AccessSecret          `json:"secrets,omitempty"`
	// BucketClasses and AccessClasses are the names of those that exist.
	BucketClasses []string `json:"bucketClasses,omitempty"`
	AccessClasses []string `json:"accessClasses,omitempty"`
}

// AccessSecret is a Secret that COSI has made, without its contents.
type AccessSecret struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// Access is the name of the BucketAccess that it says it belongs to.
	Access string `json:"access"`
	// Owner is the UID of that BucketAccess, by its owner reference.
	Owner types.UID `json:"owner,omitempty"`
	// Empty says that it has no data.
	Empty bool `json:"empty,omitempty"`
	// Deleting says that it has a deletion timestamp, and Finalizers what holds it.
	Deleting   bool     `json:"deleting,omitempty"`
	Finalizers []string `json:"finalizers,omitempty"`
}

// BackendState is what a backend has, by the backend's own account.
type BackendState struct {
	// Drivers are those whose backend it is.
	Drivers []string `json:"drivers,omitempty"`
	// Buckets and Accounts have no keys in them.
	Buckets  []fakedriver.Bucket  `json:"buckets,omitempty"`
	Accounts []fakedriver.Account `json:"accounts,omitempty"`
}

// SecretLeak is a secret that was seen where it must not be, without its value.
type SecretLeak struct {
	// Owner is the account or the Secret that the secret is of; see journal.Event.Leaks.
	Owner string `json:"whose"`
	// Place is the object, as KIND/NAME.
	Place string `json:"place"`
}
