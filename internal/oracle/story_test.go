package oracle_test

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/eventscope"
	"github.com/cosi-emu/cosi-emu/internal/oracle/observed"
)

// The names in the story.
const (
	ns        = "story-1"
	uid       = "11111111-1111-1111-1111-111111111111"
	accessUID = "22222222-2222-2222-2222-222222222222"
	bucket    = "bc-" + uid
	account   = "ba-" + accessUID
	driver    = "one.test"
	finalizer = v1alpha2.ProtectionFinalizer
)

// happening is an event with a name by which a test finds it.
type happening struct {
	label string
	event journal.Event
}

// story is a history that a test can change before the oracles judge it.
type story struct {
	happenings []happening
	input      observed.Input
}

func event(component string, seam journal.Seam, name, subject, request, response string) journal.Event {
	return journal.Event{
		Component: component, Seam: seam, Operation: journal.Operation{Name: name, Subject: subject}, Outcome: journal.OutcomeOK,
		Request: json.RawMessage(request), Response: json.RawMessage(response),
	}
}

func api(component, name, subject, request, response string) journal.Event {
	return event(component, journal.SeamAPI, name, subject, request, response)
}

func rpc(name, subject, request, response string) journal.Event {
	return event("sidecar", journal.SeamRPC, name, subject, request, response)
}

// Parts of the objects in events.
const (
	claimMeta  = `"name":"photos","namespace":"` + ns + `","uid":"` + uid + `"`
	bucketMeta = `"name":"` + bucket + `","uid":"b"`
	bucketSpec = `"spec":{"driverName":"` + driver + `","deletionPolicy":"Delete","bucketClaimRef":` +
		`{"namespace":"` + ns + `","name":"photos","uid":"` + uid + `"}}`
	accessMeta = `"name":"app","namespace":"` + ns + `","uid":"` + accessUID + `"`
	accessSpec = `"spec":{"bucketClaims":[{"bucketClaimName":"photos","accessSecretName":"key"}]}`
	protected  = `,"finalizers":["` + finalizer + `"]`
	going      = `,"deletionTimestamp":"2026-01-01T00:00:00Z"`
	handedOff  = `"driverName":"` + driver + `","accessedBuckets":[` +
		`{"bucketName":"` + bucket + `","bucketID":"` + bucket + `","bucketClaimName":"photos"}]`
	secretBody = `{"metadata":{"name":"key","namespace":"` + ns + `",` +
		`"ownerReferences":[{"kind":"BucketAccess","name":"app","controller":true}]` + protected + `}}`
	accountOnly = `{"accountId":"` + account + `"}`
	itsBuckets  = `,"buckets":[{"bucketId":"` + bucket + `"}]}`
)

func object(meta string, rest ...string) string {
	body := `{"metadata":{` + meta + `}`
	for _, part := range rest {
		body += "," + part
	}
	return body + "}"
}

func claimEvent(request, more string) journal.Event {
	return api("controller", "patch bucketclaims", ns+"/photos", request,
		object(claimMeta+more, `"status":{"boundBucketName":"`+bucket+`"}`))
}

func bucketEvent(request, more, status string) journal.Event {
	return api("sidecar", "patch buckets", bucket, request, object(bucketMeta+more, bucketSpec, `"status":{`+status+`}`))
}

func accessEvent(component, request, more, status string) journal.Event {
	return api(component, "patch bucketaccesses", ns+"/app", request, object(accessMeta+more, accessSpec, `"status":{`+status+`}`))
}

// lifecycle is the correct life of a claim and an access.
func lifecycle() *story {
	const (
		addFinalizer  = `{"metadata":{"finalizers":["` + finalizer + `"]}}`
		dropFinalizer = `{"metadata":{"finalizers":null}}`
		hasBucket     = `"bucketID":"` + bucket + `"`
		hasAccount    = handedOff + `,"accountID":"` + account + `"`
	)
	s := &story{input: observed.Input{
		Scope: eventscope.Scope{Namespaces: []string{ns}, Words: []string{ns, uid, accessUID}}, Drivers: map[string]string{"sidecar": driver},
	}}
	s.happenings = []happening{
		{"protect claim", claimEvent(addFinalizer, protected)},
		{"create bucket", api("controller", "create buckets", bucket, object(bucketMeta, bucketSpec), object(bucketMeta, bucketSpec))},
		{"protect bucket", bucketEvent(addFinalizer, protected, "")},
		{"generate", rpc("DriverGenerateBucketId", bucket, `{"name":"`+bucket+`"}`, `{"bucketId":"`+bucket+`"}`)},
		{"identify", bucketEvent(`{"status":{`+hasBucket+`}}`, protected, hasBucket)},
		{"provision", rpc("DriverCreateBucket", bucket, `{"bucketId":"`+bucket+`"}`, `{}`)},
		{"ready", bucketEvent(`{"status":{"readyToUse":true}}`, protected, hasBucket)},
		{"protect access", accessEvent("controller", addFinalizer, protected, "")},
		{"hand off", accessEvent("controller", `{"status":{`+handedOff+`}}`, protected, handedOff)},
		{"reserve", api("sidecar", "create secrets", ns+"/key", secretBody, secretBody)},
		{"name account", rpc("DriverGenerateBucketAccessId", account, `{"accountName":"`+account+`"`+itsBuckets, accountOnly)},
		{"identify access", accessEvent("sidecar", `{"status":{"accountID":"`+account+`"}}`, protected, hasAccount)},
		{"grant", rpc("DriverGrantBucketAccess", account, `{"accountId":"`+account+`"`+itsBuckets, `{}`)},
		{"fill", api("sidecar", "update secrets", ns+"/key", secretBody, secretBody)},
		{"withdraw", accessEvent("sidecar", `{"status":{"readyToUse":false}}`, protected+going, hasAccount)},
		{"delete secret", api("sidecar", "delete secrets", ns+"/key", "", `{"kind":"Status"}`)},
		{"revoke", rpc("DriverRevokeBucketAccess", account, `{"accountId":"`+account+`"`+itsBuckets, `{}`)},
		{"release access", accessEvent("controller", dropFinalizer, going, hasAccount)},
		{"delete bucket", api("controller", "delete buckets", bucket, "",
			object(bucketMeta+protected+going, bucketSpec, `"status":{`+hasBucket+`}`))},
		{"deprovision", rpc("DriverDeleteBucket", bucket, `{"bucketId":"`+bucket+`"}`, `{}`)},
		{"release bucket", bucketEvent(dropFinalizer, going, hasBucket)},
		{"release claim", claimEvent(dropFinalizer, going)},
	}
	return s
}

func (s *story) index(label string) int {
	return slices.IndexFunc(s.happenings, func(h happening) bool { return h.label == label })
}

// drop removes events.
func (s *story) drop(labels ...string) {
	s.happenings = slices.DeleteFunc(s.happenings, func(h happening) bool { return slices.Contains(labels, h.label) })
}

// move moves an event before another one.
func (s *story) move(label, before string) {
	at := s.index(label)
	moved := s.happenings[at]
	s.happenings = slices.Delete(s.happenings, at, at+1)
	s.happenings = slices.Insert(s.happenings, s.index(before), moved)
}

// before inserts an event before another one.
func (s *story) before(label string, e journal.Event) {
	s.happenings = slices.Insert(s.happenings, s.index(label), happening{event: e})
}

func (s *story) change(label string, f func(*journal.Event)) { f(&s.happenings[s.index(label)].event) }

// until ends the story before an event.
func (s *story) until(label string) { s.happenings = s.happenings[:s.index(label)] }

// look adds an observation at the end.
func (s *story) look(objects observed.Objects, truth *observed.BackendState) {
	n := uint64(len(s.happenings))
	end := observed.Observation{Name: "at the end", After: n, Until: n, Objects: objects, Backend: truth}
	s.input.Observations = append(s.input.Observations, end)
}

func (s *story) history() observed.Input {
	clock := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range s.happenings {
		e := s.happenings[i].event
		e.Seq, e.Time, e.Duration = uint64(i+1), clock, cmp.Or(e.Duration, time.Millisecond)
		clock = clock.Add(2 * time.Millisecond)
		s.input.Events = append(s.input.Events, e)
	}
	return s.input
}

var (
	yes = []metav1.Condition{{Type: v1alpha2.ConditionProvisioned, Status: metav1.ConditionTrue, Reason: v1alpha2.ReasonProvisioned}}
	// waiting are the conditions before the first reconcile.
	waiting  = []metav1.Condition{{Type: v1alpha2.ConditionProvisioned, Status: metav1.ConditionUnknown, Reason: v1alpha2.ReasonPending}}
	rejected = []metav1.Condition{
		{Type: v1alpha2.ConditionProvisionFailed, Status: metav1.ConditionTrue, Reason: v1alpha2.ReasonDriverRefused},
	}
	retried = []metav1.Condition{{Type: v1alpha2.ConditionProvisionFailed, Status: metav1.ConditionTrue, Reason: v1alpha2.ReasonDriverError}}
)

// well are the objects and the backend of a correct story.
func well() (observed.Objects, *observed.BackendState) {
	claim := v1alpha2.BucketClaim{ObjectMeta: metav1.ObjectMeta{
		Namespace: ns, Name: "photos", UID: uid, Annotations: map[string]string{v1alpha2.HasBucketAccessReferencesAnnotation: ""},
	}}
	claim.Spec.BucketClassName = "standard"
	claim.Status = v1alpha2.BucketClaimStatus{BoundBucketName: bucket, ReadyToUse: true, Conditions: yes}
	b := v1alpha2.Bucket{ObjectMeta: metav1.ObjectMeta{Name: bucket, UID: "b", Finalizers: []string{finalizer}}}
	b.Spec = v1alpha2.BucketSpec{
		DriverName: driver, DeletionPolicy: v1alpha2.DeletionPolicyDelete,
		BucketClaimRef: v1alpha2.BucketClaimReference{Namespace: ns, Name: "photos", UID: uid},
	}
	b.Status = v1alpha2.BucketStatus{BucketID: bucket, ReadyToUse: true, Conditions: yes}
	access := v1alpha2.BucketAccess{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "app", UID: accessUID, Finalizers: []string{finalizer}}}
	access.Spec.BucketClaims = []v1alpha2.BucketClaimAccess{{BucketClaimName: "photos", AccessSecretName: "key"}}
	access.Status = v1alpha2.BucketAccessStatus{
		DriverName: driver, AccountID: account, ReadyToUse: true, Conditions: yes,
		AccessedBuckets: []v1alpha2.AccessedBucket{{BucketName: bucket, BucketID: bucket, BucketClaimName: "photos"}},
	}
	return observed.Objects{
			Claims: []v1alpha2.BucketClaim{claim}, Buckets: []v1alpha2.Bucket{b}, Accesses: []v1alpha2.BucketAccess{access},
			Secrets:       []observed.AccessSecret{{Namespace: ns, Name: "key", Access: "app", Owner: accessUID, Finalizers: []string{finalizer}}},
			BucketClasses: []v1alpha2.BucketClass{standard()},
		}, &observed.BackendState{
			Drivers: []string{driver},
			Buckets: []fakedriver.Bucket{{BucketSpec: fakedriver.BucketSpec{Name: bucket, Owner: driver}, UID: "x"}},
			Accounts: []fakedriver.Account{{AccountSpec: fakedriver.AccountSpec{
				ID: account, Owner: driver, Grants: []fakedriver.Grant{{Bucket: bucket, ObjectData: fakedriver.ReadWrite}},
			}}},
		}
}

func standard() v1alpha2.BucketClass {
	return v1alpha2.BucketClass{
		ObjectMeta: metav1.ObjectMeta{Name: "standard"},
		Spec:       v1alpha2.BucketClassSpec{DriverName: driver, DeletionPolicy: v1alpha2.DeletionPolicyDelete},
	}
}
