package oracle_test

import (
	"encoding/json"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator/backend"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/oracle/observed"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// midway tells the story until all objects are ready, and lets a test change the observation.
func midway(change func(*story, *observed.Objects, *observed.BackendState)) func(*story) {
	return func(s *story) {
		s.until("withdraw")
		objects, truth := well()
		change(s, &objects, truth)
		s.look(objects, truth)
	}
}

// afterwards tells it to the end, when only the test's additions remain.
func afterwards(change func(*story, *observed.Objects, *observed.BackendState)) func(*story) {
	return func(s *story) {
		objects, truth := observed.Objects{}, &observed.BackendState{Drivers: []string{driver}}
		change(s, &objects, truth)
		s.look(objects, truth)
	}
}

func nothing(*story, *observed.Objects, *observed.BackendState) {}

func leftBucket(name, owner string) fakedriver.Bucket {
	return fakedriver.Bucket{BucketSpec: fakedriver.BucketSpec{Name: name, Owner: owner}, UID: "x"}
}

// grantsTwo has the driver grant another account for the same access.
func grantsTwo(s *story) {
	again := s.happenings[s.index("grant")].event
	again.Operation.Subject, again.Request = account+".2", json.RawMessage(strings.ReplaceAll(string(again.Request), account, account+".2"))
	s.before("withdraw", again)
	s.input.Scope.Words = append(s.input.Scope.Words, account+".2")
}

// TestForgotten: the oracle cannot read an external backend, and judges by the calls.
func TestForgotten(t *testing.T) {
	external := func(change func(*story)) func(*story) {
		return func(s *story) { change(s); s.look(observed.Objects{}, nil) }
	}
	judge(t, map[string]judging{
		"Ready": {
			reason: "All IDs are recorded.",
			happen: func(s *story) { s.until("withdraw"); objects, _ := well(); s.look(objects, nil) },
		},
		"Gone": {reason: "Both were deleted.", happen: external(func(*story) {})},
		"Second account": {
			reason: "Two accounts were granted for one access, and one was revoked.", happen: external(grantsTwo),
			want: []summary{
				{vocabulary.Leak, "account " + account + ".2"}, {vocabulary.Order, account + ".2"}, {vocabulary.Order, "bucket " + bucket},
			},
		},
		"By hand": {
			reason: "An administrator has deleted the account in the backend.",
			happen: external(func(s *story) { grantsTwo(s); s.input.External = []string{account + ".2"} }),
			want:   []summary{{vocabulary.Order, account + ".2"}},
		},
		"Delete": {
			reason: "The driver has rejected the deletion, and the sidecar has removed its finalizer.",
			happen: external(func(s *story) { s.change("deprovision", func(e *journal.Event) { e.Outcome = "Internal" }) }),
			want:   []summary{{vocabulary.Leak, "bucket " + bucket}, {vocabulary.Order, "Bucket/" + bucket}},
		},
	})
}

func TestLeak(t *testing.T) {
	judge(t, map[string]judging{
		"Ready": {reason: "All that is there is recorded.", happen: midway(nothing)},
		"Gone":  {reason: "Nothing is left.", happen: afterwards(nothing)},
		"Bucket": {
			reason: "No Bucket records it.",
			happen: afterwards(func(_ *story, _ *observed.Objects, truth *observed.BackendState) {
				truth.Buckets = []fakedriver.Bucket{leftBucket(bucket, driver)}
			}),
			want: []summary{{vocabulary.Leak, "bucket " + bucket}},
		},
		"Retained": {
			reason: "Its Bucket went with the policy Retain.",
			happen: afterwards(func(s *story, _ *observed.Objects, truth *observed.BackendState) {
				s.drop("deprovision", "release bucket")
				s.before("release claim", api("sidecar", "patch buckets", bucket, `{"metadata":{"finalizers":null}}`,
					object(bucketMeta+going, `"spec":{"driverName":"`+driver+`","deletionPolicy":"Retain","bucketClaimRef":{"namespace":"`+ns+`"}}`,
						`"status":{"bucketID":"`+bucket+`"}`)))
				truth.Buckets = []fakedriver.Bucket{leftBucket(bucket, driver)}
			}),
		},
		"Brought": {
			reason: "It was never COSI's.",
			happen: afterwards(func(_ *story, _ *observed.Objects, truth *observed.BackendState) {
				truth.Buckets = []fakedriver.Bucket{leftBucket(ns+"-archive", backend.RootAccount)}
			}),
		},
		"Touched": {
			reason: "A user has made it past COSI.",
			happen: afterwards(func(s *story, _ *observed.Objects, truth *observed.BackendState) {
				s.input.External = []string{ns + "-raw"}
				truth.Buckets = []fakedriver.Bucket{leftBucket(ns+"-raw", driver)}
			}),
		},
		"Before": {
			reason: "Alone, but not the first.",
			happen: afterwards(func(s *story, _ *observed.Objects, truth *observed.BackendState) {
				s.input.Scope.Alone = true
				truth.Buckets = []fakedriver.Bucket{leftBucket("old", driver)}
				s.input.Before = &observed.Observation{Backend: &observed.BackendState{Buckets: truth.Buckets}}
			}),
		},
		"StrayWhenAlone": {
			reason: "An unknown bucket, in a run that was alone.",
			happen: afterwards(func(s *story, _ *observed.Objects, truth *observed.BackendState) {
				s.input.Scope.Alone = true
				truth.Buckets = []fakedriver.Bucket{leftBucket("stray", driver)}
			}),
			want: []summary{{vocabulary.Leak, "bucket stray"}},
		},
		"StrayOfOthers": {
			reason: "Beside others it may be theirs.",
			happen: afterwards(func(_ *story, _ *observed.Objects, truth *observed.BackendState) {
				truth.Buckets = []fakedriver.Bucket{leftBucket("stray", driver)}
			}),
		},
		"RandomID": {
			reason: "The driver has named an ID that does not show whose it is.",
			happen: afterwards(func(s *story, _ *observed.Objects, truth *observed.BackendState) {
				s.before("provision", rpc("DriverGenerateBucketId", bucket, `{"name":"`+bucket+`"}`, `{"bucketId":"random"}`))
				truth.Buckets = []fakedriver.Bucket{leftBucket("random", driver)}
			}),
			want: []summary{{vocabulary.Leak, "bucket random"}, {vocabulary.Leak, bucket}},
		},
		"InvalidID": {
			reason: "The first ID has a space, which no sidecar can use.",
			happen: func(s *story) {
				s.before("generate", rpc("DriverGenerateBucketId", bucket, `{"name":"`+bucket+`"}`, `{"bucketId":"a b"}`))
			},
		},
		"Account": {
			reason: "Credentials that no component will revoke.",
			happen: afterwards(func(_ *story, _ *observed.Objects, truth *observed.BackendState) {
				truth.Accounts = []fakedriver.Account{
					{AccountSpec: fakedriver.AccountSpec{ID: account, Owner: driver}},
					{AccountSpec: fakedriver.AccountSpec{ID: backend.RootAccount, Admin: true}},
				}
			}),
			want: []summary{{vocabulary.Leak, "account " + account}},
		},
		"Secret": {
			reason: "It is held for an access that is gone.",
			happen: afterwards(func(_ *story, objects *observed.Objects, _ *observed.BackendState) {
				all, _ := well()
				objects.Secrets = all.Secrets
			}),
			want: []summary{{vocabulary.Leak, "Secret/key"}},
		},
	})
}

func TestLoss(t *testing.T) {
	judge(t, map[string]judging{
		"Bucket": {
			reason: "It is recorded as ready, and not there.",
			happen: midway(func(_ *story, _ *observed.Objects, truth *observed.BackendState) { truth.Buckets = nil }),
			want:   []summary{{vocabulary.Loss, "Bucket/" + bucket}},
		},
		"ExternalBucket": {
			reason: "The contents of an external driver's backend are unknown.",
			happen: midway(func(_ *story, _ *observed.Objects, truth *observed.BackendState) { *truth = observed.BackendState{} }),
		},
		"Account": {
			reason: "The access is recorded as ready, and there is no account.",
			happen: midway(func(_ *story, _ *observed.Objects, truth *observed.BackendState) { truth.Accounts = nil }),
			want:   []summary{{vocabulary.Loss, "BucketAccess/app"}},
		},
		"Grant": {
			reason: "The account cannot reach the bucket.",
			happen: midway(func(_ *story, _ *observed.Objects, truth *observed.BackendState) { truth.Accounts[0].Grants = nil }),
			want:   []summary{{vocabulary.Loss, "BucketAccess/app"}},
		},
		"DeletedPastCOSI": {
			reason: "The scenario itself has deleted the account.",
			happen: midway(func(s *story, _ *observed.Objects, truth *observed.BackendState) {
				truth.Accounts, s.input.External = nil, []string{account}
			}),
		},
		"Secret": {
			reason: "The application waits for it in vain.",
			happen: midway(func(_ *story, objects *observed.Objects, _ *observed.BackendState) { objects.Secrets = nil }),
			want:   []summary{{vocabulary.Loss, "Secret/key"}},
		},
		"EmptySecret": {
			reason: "It was reserved, and not filled.",
			happen: midway(func(_ *story, objects *observed.Objects, _ *observed.BackendState) { objects.Secrets[0].Empty = true }),
			want:   []summary{{vocabulary.Loss, "Secret/key"}},
		},
		"Replaced": {
			reason: "The bucket was deleted and created again under its Bucket.",
			happen: func(s *story) {
				midway(nothing)(s)
				objects, truth := well()
				truth.Buckets[0].UID = "y"
				s.look(objects, truth)
			},
			want: []summary{{vocabulary.Loss, "Bucket/" + bucket}},
		},
		"DeletedRetained": {
			reason: "The policy is Retain, before and after.",
			happen: func(s *story) {
				for _, label := range []string{"identify", "ready", "delete bucket", "release bucket"} {
					s.change(label, withPolicy("Retain"))
				}
			},
			want: []summary{{vocabulary.Loss, "bucket " + bucket}},
		},
		"PolicyChanged": {
			reason: "A user has changed the policy in time, which was seen afterwards.",
			happen: func(s *story) {
				for _, label := range []string{"identify", "ready", "delete bucket"} {
					s.change(label, withPolicy("Retain"))
				}
			},
		},
		"DeletedExisting": {
			reason: "The bucket was there before COSI.",
			happen: func(s *story) {
				existing := withText(`"spec":{`, `"spec":{"existingBucketID":"`+bucket+`",`)
				for _, label := range []string{"ready", "delete bucket", "release bucket"} {
					s.change(label, existing)
				}
			},
			want: []summary{{vocabulary.Loss, "bucket " + bucket}},
		},
	})
}

func TestConvergence(t *testing.T) {
	on := func(change func(*observed.Objects)) func(*story) {
		return midway(func(_ *story, objects *observed.Objects, truth *observed.BackendState) {
			*truth = observed.BackendState{}
			change(objects)
		})
	}
	notYet := func(o *observed.Objects) {
		o.Claims[0].Status.ReadyToUse, o.Claims[0].Status.Conditions = false, waiting
	}
	bucketNotYet := func(o *observed.Objects, conditions []metav1.Condition) {
		o.Buckets[0].Status.ReadyToUse, o.Buckets[0].Status.Conditions = false, conditions
	}
	accessNotYet := func(o *observed.Objects, conditions []metav1.Condition) {
		o.Accesses[0].Status.ReadyToUse, o.Accesses[0].Status.Conditions = false, conditions
	}
	bucketLeft := func(o *observed.Objects) {
		o.Claims, o.Accesses, o.Secrets = nil, nil, nil
		o.Buckets[0].Annotations = map[string]string{v1alpha2.BucketClaimBeingDeletedAnnotation: ""}
		bucketNotYet(o, yes)
	}
	deleted := func(before string) func(*story) {
		return func(s *story) {
			s.before(before, person("delete bucketclaims", ns+"/photos", "", ""))
			on(bucketLeft)(s)
		}
	}
	now := metav1.Now()
	judge(t, map[string]judging{
		"Claim": {
			reason: "Its Bucket is ready, and it is not.", happen: on(notYet),
			want: []summary{{vocabulary.Convergence, "BucketClaim/photos"}},
		},
		"ClaimWithoutBucket": {
			reason: "It has no Bucket, and its class is there.",
			happen: on(func(o *observed.Objects) { notYet(o); o.Buckets = nil }),
			want:   []summary{{vocabulary.Convergence, "BucketClaim/photos"}},
		},
		"ClaimWithoutClass": {
			reason: "It waits for its class.",
			happen: on(func(o *observed.Objects) {
				notYet(o)
				o.Claims[0].Status.Conditions = []metav1.Condition{{Type: "Provisioned", Status: "Unknown", Reason: v1alpha2.ReasonBucketClassNotFound}}
				o.Buckets, o.BucketClasses = nil, nil
			}),
		},
		"Bucket": {
			reason: "Its sidecar is there, and does nothing.",
			happen: on(func(o *observed.Objects) { notYet(o); bucketNotYet(o, waiting) }),
			want:   []summary{{vocabulary.Convergence, "Bucket/" + bucket}},
		},
		"BucketRefused": {
			reason: "The driver has said no, and the condition says so.",
			happen: func(s *story) {
				s.change("provision", refusedBy("InvalidArgument"))
				on(func(o *observed.Objects) { notYet(o); bucketNotYet(o, rejected) })(s)
			},
		},
		"BucketWithoutSidecar": {
			reason: "No sidecar serves its driver.",
			happen: on(func(o *observed.Objects) {
				notYet(o)
				bucketNotYet(o, waiting)
				o.Buckets[0].Spec.DriverName = "none.test"
			}),
		},
		"NotReadyToUse": {
			reason: "readyToUse does not say what the condition says.",
			happen: on(func(o *observed.Objects) { o.Buckets[0].Status.ReadyToUse = false }),
			want:   []summary{{vocabulary.Convergence, "Bucket/" + bucket}},
		},
		"Access": {
			reason: "Its driver is there, and grants nothing.",
			happen: on(func(o *observed.Objects) { accessNotYet(o, waiting) }),
			want:   []summary{{vocabulary.Convergence, "BucketAccess/app"}},
		},
		"AccessNotHandedOff": {
			reason: "The controller has forgotten it.",
			happen: on(func(o *observed.Objects) { accessNotYet(o, waiting); o.Accesses[0].Status.DriverName = "" }),
			want:   []summary{{vocabulary.Convergence, "BucketAccess/app"}},
		},
		"AccessRetried": {
			reason: "The driver has failed; it is tried again.",
			happen: func(s *story) {
				s.change("grant", refusedBy("Unavailable"))
				on(func(o *observed.Objects) { accessNotYet(o, retried) })(s)
			},
		},
		"AccessStuck": {
			reason: "It is being deleted, and all components are idle.",
			happen: on(func(o *observed.Objects) { accessNotYet(o, nil); o.Accesses[0].DeletionTimestamp = &now }),
			want:   []summary{{vocabulary.Convergence, "BucketAccess/app"}},
		},
		"ClaimStuck": {
			reason: "It is being deleted, and has nothing to wait for.",
			happen: on(func(o *observed.Objects) {
				notYet(o)
				o.Claims[0].DeletionTimestamp, o.Buckets, o.Accesses, o.Secrets = &now, nil, nil, nil
			}),
			want: []summary{{vocabulary.Convergence, "BucketClaim/photos"}},
		},
		"ClaimReadyBesideACondemnedBucket": {
			reason: "Its Bucket is being deleted, and it is ready.",
			happen: on(func(o *observed.Objects) {
				o.Buckets[0].Annotations = map[string]string{v1alpha2.BucketClaimBeingDeletedAnnotation: ""}
				bucketNotYet(o, yes)
			}),
			want: []summary{{vocabulary.Convergence, "BucketClaim/photos"}},
		},
		"ClaimSilentBesideACondemnedBucket": {
			reason: "Its Bucket is being deleted, and it does not say so.",
			happen: on(func(o *observed.Objects) {
				o.Buckets[0].DeletionTimestamp = &now
				o.Claims[0].Status.ReadyToUse = false
				bucketNotYet(o, yes)
			}),
			want: []summary{{vocabulary.Convergence, "BucketClaim/photos"}},
		},
		"ClaimBesideACondemnedBucket": {
			reason: "It says that its Bucket is being deleted.",
			happen: on(func(o *observed.Objects) {
				o.Buckets[0].DeletionTimestamp = &now
				o.Claims[0].Status.ReadyToUse = false
				o.Claims[0].Status.Conditions = append(o.Claims[0].Status.Conditions[:1:1],
					metav1.Condition{Type: "ResourcesValidated", Status: "False", Reason: v1alpha2.ReasonBucketDeleting})
				bucketNotYet(o, yes)
			}),
		},
		"BucketStuck": {
			reason: "It is being deleted, its claim is gone, and no access uses it.",
			happen: on(func(o *observed.Objects) {
				o.Claims, o.Accesses, o.Secrets = nil, nil, nil
				o.Buckets[0].DeletionTimestamp = &now
				bucketNotYet(o, yes)
			}),
			want: []summary{{vocabulary.Convergence, "Bucket/" + bucket}},
		},
		"BucketInUse": {
			reason: "It is being deleted, its claim is gone, and an access uses it.",
			happen: on(func(o *observed.Objects) {
				o.Claims = nil
				o.Buckets[0].DeletionTimestamp = &now
				o.Accesses[0].Status.AccessedBuckets = []v1alpha2.AccessedBucket{{BucketName: bucket}}
				bucketNotYet(o, yes)
			}),
		},
		"BucketLeft": {
			reason: "Its claim is gone, and its policy is Delete.", happen: on(bucketLeft),
			want: []summary{{vocabulary.Convergence, "Bucket/" + bucket}},
		},
		"BucketOfDeletedClaim": {
			reason: "The claim was deleted when it had its finalizer.", happen: deleted("create bucket"),
			want: []summary{{vocabulary.Convergence, "Bucket/" + bucket}},
		},
		"BucketOfVanishedClaim": {
			reason: "The API server has removed the claim in spite of the finalizer, which was added during the deletion.",
			happen: deleted("protect claim"),
		},
	})
}
