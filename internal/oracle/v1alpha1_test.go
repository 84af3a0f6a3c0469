package oracle_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/eventscope"
	"github.com/cosi-emu/cosi-emu/internal/oracle"
	"github.com/cosi-emu/cosi-emu/internal/oracle/observed"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// The names in the story of v1alpha1. The IDs are the driver's own.
const (
	oldBucket  = "bucket-" + uid
	oldID      = "arn:one:b/1"
	oldAccount = "user:1"
	another    = "user:2"

	oldBucketMeta = `"name":"` + oldBucket + `","uid":"b"`
	oldBucketSpec = `"spec":{"driverName":"` + driver + `","deletionPolicy":"Delete","bucketClassName":"standard","protocols":["S3"],` +
		`"parameters":{"tier":"gold"},` +
		`"bucketClaim":{"kind":"BucketClaim","namespace":"` + ns + `","name":"photos","uid":"` + uid + `"}}`
	oldAccessSpec = `"spec":{"bucketClaimName":"photos","credentialsSecretName":"key","bucketAccessClassName":"keys","protocol":"S3"}`
	oldSecret     = `{"metadata":{"name":"key","namespace":"` + ns + `",` +
		`"ownerReferences":[{"kind":"BucketAccess","name":"app","controller":true}],"finalizers":["` + v1alpha1.SecretFinalizer + `"]}}`
	hasOldID      = `"bucketID":"` + oldID + `"`
	hasOldAccount = `"accountID":"` + oldAccount + `"`
	granting      = `{"bucketId":"` + oldID + `","name":"` + account + `","authenticationType":"Key","parameters":{"role":"writer"}}`
	revoking      = `{"bucketId":"` + oldID + `","accountId":"` + oldAccount + `"}`
	deleting      = `{"bucketId":"` + oldID + `"}`
	creating      = `{"name":"` + oldBucket + `","parameters":{"tier":"gold"}}`
)

func quoted(text string) string {
	q, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(q)
}

func held(finalizers ...string) string {
	list, err := json.Marshal(finalizers)
	if err != nil {
		panic(err)
	}
	return `,"finalizers":` + string(list)
}

// recorded is the sidecar's record of an access before its grant.
func recorded(former ...string) string {
	accounts, err := json.Marshal(former)
	if err != nil {
		panic(err)
	}
	return `,"annotations":{"` + v1alpha1.GrantAnnotation + `":` + quoted(`{"driverName":"`+driver+`","bucketName":"`+oldBucket+
		`","bucketID":"`+oldID+`","authenticationType":"Key","formerAccounts":`+string(accounts)+`}`) + `}`
}

func oldClaimEvent(request, more string) journal.Event {
	return api("controller", "patch bucketclaims", ns+"/photos", request,
		object(claimMeta+more, `"spec":{"bucketClassName":"standard","protocols":["S3"]},"status":{"bucketName":"`+oldBucket+`"}`))
}

func oldBucketEvent(request, more, status string) journal.Event {
	return api("sidecar", "patch buckets", oldBucket, request, object(oldBucketMeta+more, oldBucketSpec, `"status":{`+status+`}`))
}

func oldAccessEvent(request, more, status string) journal.Event {
	return api("sidecar", "patch bucketaccesses", ns+"/app", request, object(accessMeta+more, oldAccessSpec, `"status":{`+status+`}`))
}

// lifecycleV1alpha1 is the correct life of a claim and an access of v1alpha1.
func lifecycleV1alpha1() *story {
	const drop = `{"metadata":{"finalizers":null}}`
	bucketHeld := held(v1alpha1.BucketFinalizer)
	accessHeld := held(v1alpha1.BucketAccessFinalizer)
	add := func(finalizer string) string { return `{"metadata":{"finalizers":["` + finalizer + `"]}}` }
	s := &story{input: observed.Input{
		API:   objectstorage.V1alpha1,
		Scope: eventscope.Scope{Namespaces: []string{ns}, Words: []string{ns, uid, accessUID}}, Drivers: map[string]string{"sidecar": driver},
	}}
	s.happenings = []happening{
		{"protect claim", oldClaimEvent(add(v1alpha1.BucketClaimFinalizer), held(v1alpha1.BucketClaimFinalizer))},
		{"create bucket", api("controller", "create buckets", oldBucket,
			object(oldBucketMeta, oldBucketSpec), object(oldBucketMeta, oldBucketSpec))},
		{"protect bucket", oldBucketEvent(add(v1alpha1.BucketFinalizer), bucketHeld, "")},
		{"provision", rpc("DriverCreateBucket", oldBucket, creating, deleting)},
		{"ready", oldBucketEvent(`{"status":{"bucketReady":true,`+hasOldID+`}}`, bucketHeld, hasOldID)},
		{"protect access", oldAccessEvent(`{"metadata":{"finalizers":["`+v1alpha1.BucketAccessFinalizer+`"]`+recorded()+`}}`,
			accessHeld+recorded(), "")},
		{"keep bucket", oldBucketEvent(`{"metadata":{"finalizers":["`+v1alpha1.BucketFinalizer+`","`+v1alpha1.BucketAccessBucketFinalizer+`"]}}`,
			held(v1alpha1.BucketFinalizer, v1alpha1.BucketAccessBucketFinalizer), hasOldID)},
		{"grant", rpc("DriverGrantBucketAccess", account, granting, `{"accountId":"`+oldAccount+`"}`)},
		{"identify access", oldAccessEvent(`{"status":{`+hasOldAccount+`}}`, accessHeld+recorded(), hasOldAccount)},
		{"fill", api("sidecar", "create secrets", ns+"/key", oldSecret, oldSecret)},
		{"withdraw", oldAccessEvent(`{"status":{"accessGranted":true}}`, accessHeld+recorded()+going, hasOldAccount)},
		{"delete secret", api("sidecar", "delete secrets", ns+"/key", "", `{"kind":"Status"}`)},
		{"revoke", rpc("DriverRevokeBucketAccess", oldAccount, revoking, `{}`)},
		{"let bucket go", oldBucketEvent(add(v1alpha1.BucketFinalizer), bucketHeld, hasOldID)},
		{"release access", oldAccessEvent(drop, recorded()+going, hasOldAccount)},
		{"delete bucket", api("controller", "delete buckets", oldBucket, "",
			object(oldBucketMeta+bucketHeld+going, oldBucketSpec, `"status":{`+hasOldID+`}`))},
		{"deprovision", rpc("DriverDeleteBucket", oldID, deleting, `{}`)},
		{"release bucket", oldBucketEvent(drop, going, hasOldID)},
		{"release claim", oldClaimEvent(drop, going)},
	}
	return s
}

// wellV1alpha1 are the objects of a correct story, as package hub converts them.
func wellV1alpha1() (observed.Objects, *observed.BackendState) {
	objects, truth := well()
	b, access, claim := &objects.Buckets[0], &objects.Accesses[0], &objects.Claims[0]
	b.Name, b.Status.BucketID, b.Spec.Parameters, claim.Status.BoundBucketName = oldBucket, oldID, map[string]string{"tier": "gold"}, oldBucket
	access.Spec.BucketAccessClassName, access.Status.AccountID = "keys", oldAccount
	access.Status.AccessedBuckets[0] = v1alpha2.AccessedBucket{BucketName: oldBucket, BucketID: oldID, BucketClaimName: "photos"}
	objects.AccessClasses = []v1alpha2.BucketAccessClass{{
		ObjectMeta: metav1.ObjectMeta{Name: "keys"},
		Spec: v1alpha2.BucketAccessClassSpec{
			DriverName: driver, AuthenticationType: v1alpha2.AuthenticationTypeKey, Parameters: map[string]string{"role": "writer"},
		},
	}}
	truth.Buckets[0].Name = oldID
	truth.Accounts[0].ID, truth.Accounts[0].Grants[0].Bucket = oldAccount, oldID
	return objects, truth
}

// midwayV1alpha1 tells the story until all objects are ready, and lets a test change the
// observation.
func midwayV1alpha1(change func(*story, *observed.Objects, *observed.BackendState)) func(*story) {
	return func(s *story) {
		s.until("withdraw")
		objects, truth := wellV1alpha1()
		change(s, &objects, truth)
		s.look(objects, truth)
	}
}

func seenV1alpha1(change func(*observed.Objects, *observed.BackendState)) func(*story) {
	return midwayV1alpha1(func(_ *story, o *observed.Objects, truth *observed.BackendState) { change(o, truth) })
}

// TestV1alpha1 has bugs in a run of v1alpha1, and allowed behavior.
func TestV1alpha1(t *testing.T) {
	judgeStory(t, lifecycleV1alpha1, map[string]judging{
		"Clean": {reason: "A whole life.", happen: func(*story) {}},
		"Ready": {reason: "All is ready.", happen: midwayV1alpha1(nothing)},
		"Gone":  {reason: "Nothing is left.", happen: afterwards(nothing)},
	})
}

// again repeats a call.
func again(s *story, label, before, response string) {
	e := s.happenings[s.index(label)].event
	e.Response = json.RawMessage(response)
	s.before(before, e)
}

func TestOrderV1alpha1(t *testing.T) {
	judgeStory(t, lifecycleV1alpha1, map[string]judging{
		"CreateUnprotected": {
			reason: "The Bucket may vanish before the ID is known.", happen: func(s *story) { s.move("provision", "protect bucket") },
			want: []summary{{vocabulary.Order, "Bucket/" + oldBucket}},
		},
		"GrantUnprotected": {
			reason: "The access may vanish before the ID is known.", happen: func(s *story) { s.move("grant", "protect access") },
			want: []summary{{vocabulary.Order, "BucketAccess/app"}, {vocabulary.Order, "Bucket/" + oldBucket}},
		},
		"BucketNotKept": {
			reason: "Without the Bucket nothing can be revoked.", happen: func(s *story) { s.drop("keep bucket") },
			want: []summary{{vocabulary.Order, "Bucket/" + oldBucket}},
		},
		"HastyBucket": {
			reason: "The Bucket goes before the driver has deleted it.", happen: func(s *story) { s.move("release bucket", "deprovision") },
			want: []summary{{vocabulary.Order, "Bucket/" + oldBucket}},
		},
		"HastyAccess": {
			reason: "The access goes before it is revoked.", happen: func(s *story) { s.move("release access", "revoke") },
			want: []summary{{vocabulary.Order, "BucketAccess/app"}},
		},
		"FormerAccount": {
			reason: "An account of an earlier grant is not revoked.",
			happen: func(s *story) {
				s.change("release access", func(e *journal.Event) { *e = oldAccessEvent(noFinalizers, recorded(another)+going, hasOldAccount) })
			},
			want: []summary{{vocabulary.Order, "BucketAccess/app"}},
		},
		"NotFound": {
			reason: "A driver that does not find it has nothing more to delete.",
			happen: func(s *story) {
				s.change("deprovision", refusedBy("NotFound"))
				s.change("revoke", refusedBy("NotFound"))
			},
		},
		"Abandoned": {
			reason: "The reply is lost, and the Bucket goes with the ID that a repetition has returned.",
			happen: func(s *story) {
				again(s, "provision", "provision", deleting)
				s.drop("ready", "keep bucket", "protect access", "grant", "identify access", "fill", "withdraw", "delete secret", "revoke",
					"let bucket go", "release access", "deprovision")
				s.change("delete bucket", withText(hasOldID, ""))
				s.change("release bucket", withText(hasOldID, ""))
			},
			want: []summary{{vocabulary.Order, "Bucket/" + oldBucket}},
		},
		"NoAccountID": {
			reason: "The first response lacks the account ID. A repeated grant returns it, and it is revoked.",
			happen: func(s *story) { again(s, "grant", "grant", `{}`) },
		},
		"NeverAnAccountID": {
			reason: "No response has the account ID, and the bucket is deleted under the account.",
			happen: func(s *story) {
				s.change("grant", func(e *journal.Event) { e.Response = json.RawMessage(`{}`) })
				s.drop("identify access", "fill", "delete secret", "revoke", "release access")
				s.change("withdraw", withText(hasOldAccount, ""))
			},
			want: []summary{{vocabulary.Order, "bucket " + oldID}, {vocabulary.Order, "BucketClaim/photos"}},
		},
		"AnotherAccountID": {
			reason: "The response to another access does not say which account the first has.",
			happen: func(s *story) {
				s.change("grant", func(e *journal.Event) { e.Response = json.RawMessage(`{}`) })
				s.before("identify access", rpc("DriverGrantBucketAccess", account,
					strings.ReplaceAll(granting, account, account+"-2"), `{"accountId":"`+oldAccount+`"}`))
			},
			want: []summary{
				{vocabulary.Order, "bucket " + oldID}, {vocabulary.Order, "BucketClaim/photos"}, {vocabulary.Request, account + "-2"},
			},
		},
		"LearnedAtDeletion": {
			reason: "The ID was not persisted, and the deletion learns it by another call.",
			happen: func(s *story) {
				s.change("provision", lost)
				s.drop("ready", "keep bucket", "protect access", "grant", "identify access", "fill", "withdraw", "delete secret", "revoke",
					"let bucket go", "release access")
				s.change("delete bucket", withText(hasOldID, ""))
				s.change("release bucket", withText(hasOldID, ""))
				s.before("deprovision", rpc("DriverCreateBucket", oldBucket, creating, deleting))
			},
		},
		"SecretAfter": {
			reason: "No sentence of v1alpha1 orders the Secret and the revocation.",
			happen: func(s *story) { s.move("revoke", "delete secret") },
		},
		"Bound": {
			reason: "The Bucket stays bound to a claim that has gone.",
			happen: func(s *story) {
				s.drop("delete bucket", "deprovision", "release bucket")
				s.happenings = append(s.happenings, happening{"seen", oldBucketEvent(`{}`, held(v1alpha1.BucketFinalizer), hasOldID)})
			},
			want: []summary{{vocabulary.Order, "Bucket/" + oldBucket}},
		},
	})
}

// releasedV1alpha1 repeats a grant without parameters, for an access with more metadata, and lets a
// test change the objects of the later observation.
func releasedV1alpha1(metadata string, change func(*observed.Objects)) func(*story) {
	return func(s *story) {
		s.until("withdraw")
		objects, truth := wellV1alpha1()
		s.look(objects, truth)
		s.happenings = append(s.happenings,
			happening{"delete", oldAccessEvent(`{}`, held(v1alpha1.BucketAccessFinalizer)+recorded()+metadata, hasOldAccount)},
			happening{"learn account", rpc("DriverGrantBucketAccess", account,
				strings.Replace(granting, `"parameters":{"role":"writer"}`, `"parameters":{}`, 1), `{"accountId":"`+oldAccount+`"}`)})
		change(&objects)
		s.look(objects, truth)
	}
}

func TestRequestV1alpha1(t *testing.T) {
	ofBucket, ofAccess := []summary{{vocabulary.Request, "Bucket/" + oldBucket}}, []summary{{vocabulary.Request, "BucketAccess/app"}}
	seen := func(change func(*story)) func(*story) {
		return midwayV1alpha1(func(s *story, _ *observed.Objects, _ *observed.BackendState) { change(s) })
	}
	judgeStory(t, lifecycleV1alpha1, map[string]judging{
		"BucketParameters": {reason: "They are the class's.", happen: asking("provision", "gold", "silver"), want: ofBucket},
		"AccessParameters": {reason: "They are the class's.", happen: seen(asking("grant", "writer", "reader")), want: ofAccess},
		"Authentication":   {reason: "The class says Key.", happen: seen(asking("grant", `"Key"`, `"IAM"`)), want: ofAccess},
		"WithoutClass": {
			reason: "The class is gone, and the sidecar learns which account it has to revoke.",
			happen: releasedV1alpha1(going, func(o *observed.Objects) { o.AccessClasses = nil }),
		},
		"WithClass": {
			reason: "The class is there, and has parameters.", happen: releasedV1alpha1(going, func(*observed.Objects) {}), want: ofAccess,
		},
		"InUseWithoutClass": {
			reason: "The access is not being deleted, so the sidecar has to wait for the class.",
			happen: releasedV1alpha1("", func(o *observed.Objects) { o.AccessClasses = nil }), want: ofAccess,
		},
		"GrantedBucket": {reason: "Another bucket.", happen: asking("grant", oldID, "other"), want: ofAccess},
		"RevokedBucket": {reason: "Another bucket.", happen: asking("revoke", oldID, "other"), want: ofAccess},
		"BucketName": {
			reason: "No Bucket has the name.", happen: asking("provision", oldBucket, ns+"-photos"),
			want: []summary{{vocabulary.Request, ns + "-photos"}},
		},
		"AccountName": {
			reason: "No access has the name.", happen: asking("grant", account, ns+"-app"), want: []summary{{vocabulary.Request, ns + "-app"}},
		},
	})
}

func TestBackendV1alpha1(t *testing.T) {
	judgeStory(t, lifecycleV1alpha1, map[string]judging{
		"LeakedBucket": {
			reason: "The driver has created it, and no Bucket has the ID.",
			happen: afterwards(func(s *story, _ *observed.Objects, truth *observed.BackendState) {
				s.change("deprovision", refusedBy("Internal"))
				s.drop("release bucket", "release claim")
				truth.Buckets = []fakedriver.Bucket{leftBucket(oldID, driver)}
			}),
			want: []summary{{vocabulary.Leak, "bucket " + oldID}},
		},
		"FormerAccount": {
			reason: "The access names an account of an earlier grant, too.",
			happen: seenV1alpha1(func(o *observed.Objects, truth *observed.BackendState) {
				old := truth.Accounts[0]
				old.ID = another
				truth.Accounts = append(truth.Accounts, old)
				grant := `{"driverName":"` + driver + `","formerAccounts":["` + another + `"]}`
				o.Accesses[0].Annotations = map[string]string{v1alpha1.GrantAnnotation: grant}
			}),
		},
		"LeakedAccount": {
			reason: "A second grant has returned another account, and the first is forgotten.",
			happen: midwayV1alpha1(func(s *story, _ *observed.Objects, truth *observed.BackendState) {
				again(s, "grant", "grant", `{"accountId":"`+another+`"}`)
				old := truth.Accounts[0]
				old.ID = another
				truth.Accounts = append(truth.Accounts, old)
			}),
			want: []summary{{vocabulary.Leak, "account " + another}, {vocabulary.Leak, account}},
		},
		"LostBucket": {
			reason: "Ready over a vanished bucket.",
			happen: seenV1alpha1(func(_ *observed.Objects, truth *observed.BackendState) { truth.Buckets = nil }),
			want:   []summary{{vocabulary.Loss, "Bucket/" + oldBucket}},
		},
		"Retained": {
			reason: "The policy says Retain.",
			happen: func(s *story) { everywhere(s, `"deletionPolicy":"Delete"`, `"deletionPolicy":"Retain"`) },
			want:   []summary{{vocabulary.Loss, "bucket " + oldID}},
		},
		"ExistingDeleted": {
			reason: "In v1alpha1 the policy Delete is for buckets that were there before, too.",
			happen: func(s *story) {
				s.drop("create bucket", "provision")
				everywhere(s, `"parameters":{"tier":"gold"}`, `"existingBucketID":"`+oldID+`"`)
			},
		},
		"KeyOfRevokedAccess": {
			reason: "The access was revoked, and the key goes on working.",
			happen: func(s *story) {
				afterwards(nothing)(s)
				s.input.Observations[0].KeyUses = []observed.KeyUse{{Account: oldAccount, Bucket: oldID}}
			},
			want: []summary{{vocabulary.Keys, "account " + oldAccount}},
		},
		"KeyOfAnotherBucket": {
			reason: "The key opens more than was granted.",
			happen: func(s *story) {
				midwayV1alpha1(nothing)(s)
				s.input.Observations[0].KeyUses = []observed.KeyUse{{Account: oldAccount, Bucket: oldID}, {Account: oldAccount, Bucket: "other"}}
			},
			want: []summary{{vocabulary.Keys, "account " + oldAccount}},
		},
		"Secret": {
			reason: "A key is in the log.",
			happen: func(s *story) {
				s.change("fill", func(e *journal.Event) { e.Leaks = []string{"account " + oldAccount} })
			},
			want: []summary{{vocabulary.Secret, "event 10 of the journal: create secrets by sidecar"}},
		},
	})
}

func TestStateV1alpha1(t *testing.T) {
	objects := func(change func(*observed.Objects)) func(*story) {
		return seenV1alpha1(func(o *observed.Objects, _ *observed.BackendState) { change(o) })
	}
	ofClaim, ofBucket, ofAccess := "BucketClaim/photos", "Bucket/"+oldBucket, "BucketAccess/app"
	judgeStory(t, lifecycleV1alpha1, map[string]judging{
		"BucketWithoutReason": {
			reason: "The Bucket is not ready, and no Event says why.",
			happen: objects(func(o *observed.Objects) {
				o.Buckets[0].Status.ReadyToUse, o.Buckets[0].Status.Conditions = false, waiting
				o.Claims[0].Status.ReadyToUse, o.Claims[0].Status.Conditions = false, waiting
			}),
			want: []summary{{vocabulary.Convergence, ofBucket}},
		},
		"BucketWithReason": {
			reason: "An Event says why.",
			happen: objects(func(o *observed.Objects) {
				o.Buckets[0].Status.ReadyToUse, o.Buckets[0].Status.Conditions = false, retried
				o.Claims[0].Status.ReadyToUse, o.Claims[0].Status.Conditions = false, waiting
			}),
		},
		"BucketLeft": {
			reason: "The claim has gone, and no component deletes the Bucket.",
			happen: objects(func(o *observed.Objects) { o.Claims, o.Accesses, o.Secrets = nil, nil, nil }),
			want:   []summary{{vocabulary.Leak, "account " + oldAccount}, {vocabulary.Convergence, ofBucket}},
		},
		"NotGranted": {
			reason: "Class and Bucket are there.",
			happen: objects(func(o *observed.Objects) {
				o.Accesses[0].Status.ReadyToUse, o.Accesses[0].Status.Conditions = false, waiting
			}),
			want: []summary{{vocabulary.Convergence, ofAccess}},
		},
		"NoClass": {
			reason: "Without its class, no sidecar knows that the access is its own.",
			happen: objects(func(o *observed.Objects) {
				o.Accesses[0].Status.ReadyToUse, o.Accesses[0].Status.Conditions = false, waiting
				o.AccessClasses = nil
			}),
		},
		"ClaimBeforeItsBucket": {
			reason: "The claim is ready, and its Bucket is not.",
			happen: objects(func(o *observed.Objects) {
				o.Buckets[0].Status.ReadyToUse, o.Buckets[0].Status.Conditions = false, retried
			}),
			want: []summary{{vocabulary.Status, ofClaim}},
		},
		"OutdatedEvent": {
			reason: "An Event tells what was.",
			happen: objects(func(o *observed.Objects) {
				o.Buckets[0].Status.ReadyToUse, o.Buckets[0].Status.Conditions = false, retried
				o.Claims[0].Status.ReadyToUse = false
				o.Claims[0].Status.Conditions = []metav1.Condition{{
					Type: v1alpha2.ConditionProvisionFailed, Status: metav1.ConditionTrue, Reason: v1alpha2.ReasonBucketClassNotFound,
				}}
			}),
		},
		"ReadyWithoutID": {
			reason: "Nothing can revoke the access.",
			happen: seenV1alpha1(func(o *observed.Objects, truth *observed.BackendState) {
				o.Accesses[0].Status.AccountID, truth.Drivers = "", nil
				truth.Accounts = nil
			}),
			want: []summary{{vocabulary.Status, ofAccess}},
		},
		"MissingSecret": {
			reason: "The access is granted without its Secret.",
			happen: objects(func(o *observed.Objects) { o.Secrets = nil }),
			want:   []summary{{vocabulary.Loss, "Secret/key"}},
		},
		"BucketOfNobody": {
			reason: "A person has removed the finalizer of its Bucket before the ID was written.",
			happen: func(s *story) {
				s.until("ready")
				s.happenings = append(s.happenings, happening{event: person("patch buckets", oldBucket, noFinalizers,
					object(oldBucketMeta+going, oldBucketSpec))})
				_, truth := wellV1alpha1()
				truth.Accounts = nil
				s.look(observed.Objects{}, truth)
			},
		},
		"BucketOfAnother": {
			reason: "The next Bucket of that name has recorded the ID, and its finalizers are in place.",
			happen: func(s *story) {
				s.until("protect access")
				s.before("protect bucket", person("patch buckets", oldBucket, noFinalizers,
					object(strings.Replace(oldBucketMeta, `"uid":"b"`, `"uid":"first"`, 1)+going, oldBucketSpec)))
				_, truth := wellV1alpha1()
				truth.Accounts = nil
				s.look(observed.Objects{}, truth)
			},
			want: []summary{{vocabulary.Leak, "bucket " + oldID}},
		},
		"SecretOfAPerson": {
			reason: "No component may touch a Secret that is not COSI's, and an access of v1alpha1 has no condition.",
			happen: func(s *story) {
				s.before("withdraw", person("delete secrets", ns+"/key", "", `{"kind":"Status"}`))
				s.before("withdraw", person("create secrets", ns+"/key", secretBody, secretBody))
				objects(func(o *observed.Objects) { o.Secrets = nil })(s)
			},
		},
		"SecretDeletedByAPerson": {
			reason: "Nothing is in the way of the Secret.",
			happen: func(s *story) {
				s.before("withdraw", person("delete secrets", ns+"/key", "", `{"kind":"Status"}`))
				objects(func(o *observed.Objects) { o.Secrets = nil })(s)
			},
			want: []summary{{vocabulary.Loss, "Secret/key"}},
		},
		"NotSilent": {
			reason: "A write in an idle system.",
			happen: func(s *story) { midwayV1alpha1(nothing)(s); s.input.Observations[0].After-- },
			want:   []summary{{vocabulary.Silence, ns + "/key"}},
		},
	})
}

func TestForeignV1alpha1(t *testing.T) {
	theirs := func(labels ...string) func(*story) {
		return func(s *story) {
			for _, label := range labels {
				s.change(label, withText(driver, "two.test"))
			}
		}
	}
	all := []string{"create bucket", "protect bucket", "ready", "keep bucket", "let bucket go", "delete bucket", "release bucket"}
	judgeStory(t, lifecycleV1alpha1, map[string]judging{
		"Bucket": {
			reason: "The Bucket is another driver's.",
			happen: func(s *story) { theirs(all...)(s); s.until("protect access") },
			want:   []summary{{vocabulary.Foreign, oldBucket}, {vocabulary.Foreign, "Bucket/" + oldBucket}},
		},
		"AccessWithoutRecord": {
			reason: "A person has removed the annotation that says the driver.",
			happen: func(s *story) { s.change("identify access", withText(v1alpha1.GrantAnnotation, "example.com/note")) },
		},
		"Claim": {
			reason: "No sentence of v1alpha1 reserves claims for the controller.",
			happen: func(s *story) {
				s.before("ready", api("sidecar", "patch bucketclaims", ns+"/photos", `{"status":{"bucketReady":true}}`, object(claimMeta)))
			},
		},
		"SecretWithoutOwner": {
			reason: "The access names the Secret, which has no owner and no annotation.",
			happen: func(s *story) {
				s.before("delete secret", api("sidecar", "update secrets", ns+"/key", `{}`, object(`"name":"key","namespace":"`+ns+`"`)))
			},
		},
		"SecretOfNobody": {
			reason: "No access names the Secret.",
			happen: func(s *story) {
				s.before("delete secret", api("sidecar", "update secrets", ns+"/other", `{}`, object(`"name":"other","namespace":"`+ns+`"`)))
			},
			want: []summary{{vocabulary.Foreign, "Secret/other"}},
		},
		"GrantedBucket": {
			reason: "A driver is asked for an access to a bucket of another driver.",
			happen: func(s *story) { theirs(all...)(s); s.until("identify access") },
			want: []summary{
				{vocabulary.Foreign, oldBucket}, {vocabulary.Foreign, "bucket " + oldID}, {vocabulary.Foreign, "Bucket/" + oldBucket},
			},
		},
	})
}

func TestPaceV1alpha1(t *testing.T) {
	s := lifecycleV1alpha1()
	failed := s.happenings[s.index("provision")].event
	refusedBy("Unavailable")(&failed)
	s.input.DefaultDelays = true
	const times = 10
	for range times {
		s.before("provision", failed)
	}
	in := s.history()
	for i := range in.Events { // evenly
		in.Events[i].Time = in.Events[0].Time.Add(time.Duration(i) * time.Second)
	}
	got := oracle.Judge(in)
	if len(got) != 1 || got[0].Oracle != vocabulary.Pace || got[0].Subject != oldBucket {
		t.Errorf("found %v, want one of %s", got, vocabulary.Pace)
	}
}
