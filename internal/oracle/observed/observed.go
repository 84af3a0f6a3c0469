// Package observed has the input of the oracles: the events of a run, and the observed state. It
// imports no client of Kubernetes, so that a program that only shows a run links none.
package observed

import (
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator/backend"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/eventscope"
)

// Input is the input of the oracles. It contains no secrets: package watch has removed them.
type Input struct {
	// API is the version of the COSI kinds and of the protocol; empty means v1alpha2.
	API objectstorage.Version `json:"api,omitempty"`
	// Scope selects the events that the oracles judge.
	Scope eventscope.Scope `json:"scope"`
	// Drivers are the names of the drivers, by the sidecars that serve them.
	Drivers map[string]string `json:"drivers,omitempty"`
	// Events are the events of the journal during the run, in order. Events of other
	// scopes are ignored.
	Events []journal.Event `json:"events,omitempty"`
	// Requests are the requests of the scenario's steps to the API server. They count as a
	// user's. The journal does not have them.
	Requests []journal.Event `json:"requests,omitempty"`
	// Incomplete means that the first events are missing: then the absence of an event
	// proves nothing.
	Incomplete bool `json:"incomplete,omitempty"`
	// Before is the state before the run. Nil means that it is unknown, and that all
	// existing objects are judged too.
	Before *Observation `json:"before,omitempty"`
	// Observations are the states observed while the components were idle, in order of
	// time.
	Observations []Observation `json:"observations,omitempty"`
	// External are buckets and accounts that were changed without COSI, and objects,
	// KIND/NAME, whose finalizers were removed by hand. Their leaks and losses are not
	// COSI's.
	External []string `json:"external,omitempty"`
	// Purging are drivers that delete buckets together with their objects, for any class.
	Purging []string `json:"purging,omitempty"`
	// DefaultDelays reports whether components retry with their default delays, so that the
	// pace of retries can be judged.
	DefaultDelays bool `json:"defaultDelays,omitempty"`
	// SecretLeaks are secrets that were found in objects other than Secrets. Those in
	// events are in the events.
	SecretLeaks []SecretLeak `json:"secretLeaks,omitempty"`
}

// IsV1alpha1 reports whether the run was one of v1alpha1.
func (in *Input) IsV1alpha1() bool { return in.API == objectstorage.V1alpha1 }

// EndAt removes what happened and what was observed after an event.
func (in *Input) EndAt(seq uint64) {
	in.Events = slices.DeleteFunc(in.Events, func(e journal.Event) bool { return e.Seq > seq })
	in.Observations = slices.DeleteFunc(in.Observations, func(o Observation) bool { return o.After > seq })
}

// Observation is the observed state at one time.
type Observation struct {
	// Name names it in messages: "at the end", "after the clean-up".
	Name string `json:"name"`
	// After is the number of the last event before the observation, and Until the number of the
	// last event when it was complete. Normally they are equal.
	After uint64 `json:"after"`
	Until uint64 `json:"until"`
	// Active means that the components did not become idle in time.
	Active bool `json:"active,omitempty"`
	// Waiting are the calls to drivers that had no answer then, with the time since their begin, if Active.
	Waiting []journal.Event `json:"waiting,omitempty"`
	// Objects are the Kubernetes objects.
	Objects Objects `json:"objects"`
	// Backend is the state of the backend, or nil if the backend is external.
	Backend *BackendState `json:"backend,omitempty"`
	// KeyUses list the buckets that each issued key can access in the emulator's store.
	KeyUses []KeyUse `json:"keyUses,omitempty"`
}

// KeyUse is a bucket that a key of an account opens, without the key. An empty bucket is
// the list of buckets.
type KeyUse struct {
	Account string `json:"account"`
	Bucket  string `json:"bucket,omitempty"`
}

// Objects are the COSI objects and the objects that belong to them. Objects of v1alpha1 are
// converted; see package hub.
type Objects struct {
	Claims   []v1alpha2.BucketClaim  `json:"claims,omitempty"`
	Buckets  []v1alpha2.Bucket       `json:"buckets,omitempty"`
	Accesses []v1alpha2.BucketAccess `json:"accesses,omitempty"`
	Secrets  []AccessSecret          `json:"secrets,omitempty"`
	// BucketClasses and AccessClasses are the classes of buckets and of accesses.
	BucketClasses []v1alpha2.BucketClass       `json:"bucketClasses,omitempty"`
	AccessClasses []v1alpha2.BucketAccessClass `json:"accessClasses,omitempty"`
}

// BucketClass returns the BucketClass with a name, or nil.
func (o *Objects) BucketClass(name string) *v1alpha2.BucketClass {
	i := slices.IndexFunc(o.BucketClasses, func(class v1alpha2.BucketClass) bool { return class.Name == name })
	if i < 0 {
		return nil
	}
	return &o.BucketClasses[i]
}

// AccessClass returns the BucketAccessClass with a name, or nil.
func (o *Objects) AccessClass(name string) *v1alpha2.BucketAccessClass {
	i := slices.IndexFunc(o.AccessClasses, func(class v1alpha2.BucketAccessClass) bool { return class.Name == name })
	if i < 0 {
		return nil
	}
	return &o.AccessClasses[i]
}

// UIDs returns the UIDs of the claims, Buckets or accesses.
func (o *Objects) UIDs(kind string) []types.UID {
	var uids []types.UID
	switch kind {
	case "BucketClaim":
		for i := range o.Claims {
			uids = append(uids, o.Claims[i].UID)
		}
	case "Bucket":
		for i := range o.Buckets {
			uids = append(uids, o.Buckets[i].UID)
		}
	case "BucketAccess":
		for i := range o.Accesses {
			uids = append(uids, o.Accesses[i].UID)
		}
	}
	return uids
}

// AccessSecret is a Secret that COSI has created, without its contents.
type AccessSecret struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// Access is the name of the BucketAccess in its annotation.
	Access string `json:"access"`
	// Owner is the UID of that BucketAccess, by its owner reference.
	Owner types.UID `json:"owner,omitempty"`
	// Empty means that it has no data.
	Empty bool `json:"empty,omitempty"`
	// Deleting means that it has a deletion timestamp; Finalizers block the deletion.
	Deleting   bool     `json:"deleting,omitempty"`
	Finalizers []string `json:"finalizers,omitempty"`
}

// BackendState is the state that the backend reports.
type BackendState struct {
	// Drivers are the drivers that use the backend.
	Drivers []string `json:"drivers,omitempty"`
	// Buckets and Accounts contain no keys.
	Buckets  []fakedriver.Bucket  `json:"buckets,omitempty"`
	Accounts []fakedriver.Account `json:"accounts,omitempty"`
	// Contents are the contents of the buckets, by their names.
	Contents map[string]backend.Contents `json:"contents,omitempty"`
	// Files are those below the data directory that hold contents of buckets, and the entries
	// of the store's database that do, FILE#ID. They are read if there are no buckets.
	Files []string `json:"files,omitempty"`
}

// SecretLeak is a secret in a place where it must not be. It does not contain the
// value.
type SecretLeak struct {
	// Owner is the account or the Secret that the secret is of; see journal.Event.Leaks.
	Owner string `json:"owner"`
	// Place is the object, as KIND/NAME.
	Place string `json:"place"`
}
