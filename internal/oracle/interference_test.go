package oracle_test

import (
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/oracle/observed"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

func person(operation, subject, request, response string) journal.Event {
	return api(vocabulary.Administrator, operation, subject, request, response)
}

const noFinalizers = `{"metadata":{"finalizers":null}}`

// retain is a user's change of the policy of the Bucket.
func retain(policy string) journal.Event {
	return person("patch buckets", bucket, `{"spec":{"deletionPolicy":"`+policy+`"}}`,
		object(bucketMeta+protected+going,
			`"spec":{"driverName":"`+driver+`","deletionPolicy":"`+policy+`","bucketClaimRef":{"namespace":"`+ns+`","name":"photos"}}`,
			`"status":{"bucketID":"`+bucket+`"}`))
}

// TestStrippedFinalizers: only the backend objects of stripped finalizers may leak.
func TestStrippedFinalizers(t *testing.T) {
	left := func(_ *story, _ *observed.Objects, truth *observed.BackendState) {
		truth.Accounts = []fakedriver.Account{{AccountSpec: fakedriver.AccountSpec{ID: account, Owner: driver}}}
	}
	strip := func(s *story, meta string) {
		s.drop("revoke", "release access")
		s.before("delete bucket", person("patch bucketaccesses", ns+"/app", noFinalizers,
			object(accessMeta+meta, accessSpec, `"status":{`+handedOff+`,"accountID":"`+account+`"}`)))
	}
	stripAccess := func(s *story) { strip(s, going) }
	const read, between = `,"resourceVersion":"9"`, `,"resourceVersion":"10"`
	judge(t, map[string]judging{
		"Account": {
			reason: "A person has removed the finalizer of its access.",
			happen: func(s *story) { stripAccess(s); s.dropGrant(); afterwards(left)(s) },
		},
		"AddedAgain": {
			reason: "The sidecar has added the finalizer again.",
			happen: func(s *story) {
				strip(s, "")
				s.before("delete bucket", accessEvent("sidecar", `{"metadata":{"finalizers":["`+finalizer+`"]}}`, protected, handedOff))
				s.dropGrant()
				afterwards(left)(s)
			},
			want: []summary{{vocabulary.Leak, "account " + account}},
		},
		"GoneMeanwhile": {
			reason: "A write came between what the person's request read and its commit, which removed the object.",
			happen: func(s *story) {
				strip(s, going+read)
				s.before("delete bucket", accessEvent("sidecar", "{}", protected+between, handedOff))
				s.dropGrant()
				afterwards(left)(s)
			},
		},
		"OlderAnswer": {
			reason: "The answer to an older request has come later.",
			happen: func(s *story) {
				stripAccess(s)
				s.before("delete bucket", accessEvent("sidecar", "{}", protected+`,"resourceVersion":"9"`, handedOff))
				for i := range s.happenings {
					if e := &s.happenings[i].event; e.Component == vocabulary.Administrator {
						e.Response = []byte(strings.Replace(string(e.Response), `"uid"`, `"resourceVersion":"10","uid"`, 1))
					}
				}
				s.dropGrant()
				afterwards(left)(s)
			},
		},
		"Lost": {
			reason: "The finalizer of a Bucket does not protect its data from the driver.",
			happen: func(s *story) {
				s.until("withdraw")
				s.happenings = append(s.happenings, happening{event: person("patch buckets", bucket, noFinalizers,
					object(bucketMeta, bucketSpec, `"status":{"bucketID":"`+bucket+`"}`))})
				afterwards(func(_ *story, objects *observed.Objects, truth *observed.BackendState) {
					var backend *observed.BackendState
					*objects, backend = well()
					backend.Buckets = nil
					*truth = *backend
				})(s)
			},
			want: []summary{{vocabulary.Loss, "Bucket/" + bucket}},
		},
		"ByComponent": {
			reason: "The sidecar has done the same.",
			happen: func(s *story) {
				s.drop("revoke")
				s.dropGrant()
				afterwards(left)(s)
			},
			want: []summary{{vocabulary.Leak, "account " + account}, {vocabulary.Order, "BucketAccess/app"}},
		},
		"Bucket": {
			reason: "The finalizer of an access does not protect the bucket.",
			happen: func(s *story) {
				stripAccess(s)
				s.dropGrant()
				afterwards(func(_ *story, _ *observed.Objects, truth *observed.BackendState) {
					truth.Buckets = []fakedriver.Bucket{leftBucket(bucket, driver)}
				})(s)
			},
			want: []summary{{vocabulary.Leak, "bucket " + bucket}},
		},
	})
}

// dropGrant removes the grant call, so that the order of calls is not judged.
func (s *story) dropGrant() { s.drop("grant") }

// TestRetainByPerson: a user sets the policy Retain before the bucket is deleted.
func TestRetainByPerson(t *testing.T) {
	look := api("sidecar", "get buckets", bucket, "", object(bucketMeta+protected+going, bucketSpec, `"status":{"bucketID":"`+bucket+`"}`))
	looked := retain("Retain")
	looked.Component, looked.Operation.Name, looked.Request = "sidecar", "get buckets", nil
	lost := []summary{{vocabulary.Loss, "bucket " + bucket}}
	judge(t, map[string]judging{
		"CacheAlone": {
			reason: "The sidecar did not look at the Bucket before it deleted the bucket.",
			happen: func(s *story) { s.before("deprovision", retain("Retain")) },
			want:   lost,
		},
		"SeenRetain": {
			reason: "The sidecar has seen the policy.",
			happen: func(s *story) { s.before("deprovision", retain("Retain")); s.before("deprovision", looked) },
			want:   lost,
		},
		"Raced": {
			reason: "The policy changed when the sidecar had looked.",
			happen: func(s *story) { s.before("deprovision", look); s.before("deprovision", retain("Retain")) },
		},
		"LookedBeforeRetry": {
			reason: "The sidecar looked once, and called twice.",
			happen: func(s *story) {
				failed := rpc("DriverDeleteBucket", bucket, `{"bucketId":"`+bucket+`"}`, "")
				failed.Outcome = "Unavailable"
				s.before("deprovision", look)
				s.before("deprovision", failed)
				s.before("deprovision", retain("Retain"))
			},
			want: lost,
		},
		"TakenBack": {
			reason: "The policy was Retain only for a while.",
			happen: func(s *story) { s.before("deprovision", retain("Retain")); s.before("deprovision", retain("Delete")) },
		},
	})
}

// TestEditedStatus: a user edits a status, which must be correct again when the components are
// idle.
func TestEditedStatus(t *testing.T) {
	const edited = `{"status":{"readyToUse":false,"conditions":[]}}`
	edit := func(s *story) {
		s.before("withdraw", person("patch bucketclaims/status", ns+"/photos", edited, object(claimMeta+protected,
			`"status":{"boundBucketName":"`+bucket+`"}`)))
	}
	judge(t, map[string]judging{
		"Repaired": {
			reason: "The controller has written the status again.",
			happen: func(s *story) { edit(s); midway(nothing)(s) },
		},
		"Unready": {
			reason: "The claim stays unready, although its Bucket is ready.",
			happen: func(s *story) {
				edit(s)
				midway(func(_ *story, o *observed.Objects, _ *observed.BackendState) {
					o.Claims[0].Status.ReadyToUse, o.Claims[0].Status.Conditions = false, nil
				})(s)
			},
			want: []summary{{vocabulary.Convergence, "BucketClaim/photos"}},
		},
		"Ready": {
			reason: "The claim stays ready without a condition that says so.",
			happen: func(s *story) {
				edit(s)
				midway(func(_ *story, o *observed.Objects, _ *observed.BackendState) { o.Claims[0].Status.Conditions = nil })(s)
			},
			want: []summary{{vocabulary.Convergence, "BucketClaim/photos"}, {vocabulary.Status, "BucketClaim/photos"}},
		},
	})
}

// TestImmutableSecret: a user makes the Secret of an access immutable before it gets its key.
func TestImmutableSecret(t *testing.T) {
	immutable := `{"immutable":true,` + secretBody[1:]
	frozen := person("patch secrets", ns+"/key", `{"immutable":true}`, immutable)
	unwritten := api("sidecar", "update secrets", ns+"/key", secretBody, "")
	unwritten.Outcome = "Invalid"
	grant := rpc("DriverGrantBucketAccess", account, `{"accountId":"`+account+`","buckets":[{"bucketId":"`+bucket+`"}]}`, `{}`)
	judge(t, map[string]judging{
		"Once": {
			reason: "The sidecar could not know before it wrote the key.",
			happen: func(s *story) { s.before("grant", frozen); s.before("fill", unwritten); s.drop("fill") },
		},
		"Again": {
			reason: "The sidecar knows.",
			happen: func(s *story) {
				s.before("grant", frozen)
				s.before("fill", unwritten)
				s.before("fill", grant)
				s.drop("fill")
			},
			want: []summary{{vocabulary.Order, "Secret/key"}},
		},
		"Replaced": {
			reason: "It is another Secret now.",
			happen: func(s *story) {
				s.before("grant", frozen)
				s.before("fill", unwritten)
				s.before("fill", person("delete secrets", ns+"/key", "", `{"kind":"Status"}`))
				s.before("fill", api("sidecar", "create secrets", ns+"/key", secretBody, secretBody))
				s.before("fill", grant)
			},
		},
	})
}
