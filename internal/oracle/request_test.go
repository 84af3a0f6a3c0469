package oracle_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/oracle"
	"github.com/cosi-emu/cosi-emu/internal/oracle/observed"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// asking changes the contents of a call.
func asking(label, from, to string) func(*story) {
	return func(s *story) {
		s.change(label, func(e *journal.Event) {
			changed := bytes.Replace(e.Request, []byte(from), []byte(to), 1)
			if bytes.Equal(changed, e.Request) {
				panic(fmt.Sprintf("%s does not have %s", e.Request, from))
			}
			e.Request = changed
		})
	}
}

// everywhere changes all objects of the story.
func everywhere(s *story, from, to string) {
	for i := range s.happenings {
		withText(from, to)(&s.happenings[i].event)
	}
}

func TestRequest(t *testing.T) {
	ofAccess := []summary{{vocabulary.Request, "BucketAccess/app"}}
	ofBucket := []summary{{vocabulary.Request, "Bucket/" + bucket}}
	const id = `"bucketId":"` + bucket + `"`
	judge(t, map[string]judging{
		"FewerBuckets": {
			reason: "A revocation that does not name all buckets.",
			happen: asking("revoke", `{`+id+`}`, ""), want: ofAccess,
		},
		"AnotherBucket": {
			reason: "Access to a bucket that the access is not for.",
			happen: asking("name account", `{`+id+`}`, `{`+id+`},{"bucketId":"another"}`), want: ofAccess,
		},
		"Mode": {
			reason: "The user has asked for no mode of metadata, and gets one.",
			happen: asking("grant", id, id+`,"objectMetadataAccessMode":{"mode":"READ_WRITE"}`), want: ofAccess,
		},
		"AnyMode": {
			reason: "A category that the user left empty goes out as ANY.",
			happen: asking("grant", id, id+`,"objectMetadataAccessMode":{"mode":"ANY"}`),
		},
		"Protocol": {
			reason: "The access is for another protocol.",
			happen: func(s *story) {
				everywhere(s, `"spec":{"bucketClaims"`, `"spec":{"protocol":"S3","bucketClaims"`)
				for _, label := range []string{"name account", "revoke"} {
					asking(label, `"buckets"`, `"protocol":{"type":"S3"},"buckets"`)(s)
				}
				asking("grant", `"buckets"`, `"protocol":{"type":"GCS"},"buckets"`)(s)
			},
			want: ofAccess,
		},
		"ServiceAccount": {
			reason: "The driver gets a ServiceAccount, although keys are asked for.",
			happen: asking("grant", `"buckets"`, `"serviceAccountName":"app","buckets"`), want: ofAccess,
		},
		"Parameters": {
			reason: "The class has none.",
			happen: asking("provision", `}`, `,"parameters":{"tier":"gold"}}`), want: ofBucket,
		},
		"BucketProtocols": {
			reason: "The Bucket asks for no protocol.",
			happen: asking("provision", `}`, `,"protocols":[{"type":"AZURE"}]}`), want: ofBucket,
		},
		"DeletionParameters": {
			reason: "The parameters are those of the Bucket also at its deletion.",
			happen: asking("deprovision", `}`, `,"parameters":{"tier":"gold"}}`), want: ofBucket,
		},
		"Edited": {
			reason: "The Bucket was edited; the call follows from what it was before.",
			happen: func(s *story) {
				s.change("deprovision", func(*journal.Event) {})
				s.change("release bucket", withText(`"spec":{`, `"spec":{"parameters":{"tier":"gold"},`))
			},
		},
	})
}

func TestStatus(t *testing.T) {
	access := []summary{{vocabulary.Status, "BucketAccess/app"}}
	seen := func(change func(*observed.Objects)) func(*story) {
		return midway(func(_ *story, o *observed.Objects, _ *observed.BackendState) { change(o) })
	}
	judge(t, map[string]judging{
		"Generation": {
			reason: "The spec has changed, and the conditions are those of the spec before.",
			happen: seen(func(o *observed.Objects) { o.Accesses[0].Generation = 2 }), want: access,
		},
		"SameGeneration": {
			reason: "The conditions are those of the spec.",
			happen: seen(func(o *observed.Objects) {
				o.Accesses[0].Generation = 2
				o.Accesses[0].Status.Conditions = []metav1.Condition{{Type: "Provisioned", Status: "True", ObservedGeneration: 2}}
			}),
		},
		"FailedBefore": {
			reason: "The grant has succeeded, and the failure of the one before is still told.",
			happen: seen(func(o *observed.Objects) {
				o.Accesses[0].Status.Conditions = append([]metav1.Condition{{
					Type: v1alpha2.ConditionProvisionFailed, Status: "True", Reason: v1alpha2.ReasonDriverError,
				}}, yes...)
			}),
			want: access,
		},
		"FailedOtherwise": {
			reason: "The failure is not the driver's.",
			happen: seen(func(o *observed.Objects) {
				o.Accesses[0].Status.Conditions = append([]metav1.Condition{{
					Type: v1alpha2.ConditionProvisionFailed, Status: "True", Reason: v1alpha2.ReasonSecretWriteFailed,
				}}, yes...)
			}),
		},
		"FailedBucket": {
			reason: "The bucket was created, and the failure of the call before is still told.",
			happen: seen(func(o *observed.Objects) {
				o.Buckets[0].Status.Conditions = append([]metav1.Condition{{
					Type: v1alpha2.ConditionProvisionFailed, Status: "True", Reason: v1alpha2.ReasonDriverRefused,
				}}, yes...)
			}),
			want: []summary{{vocabulary.Status, "Bucket/" + bucket}},
		},
		"FailedBucketGivenUp": {
			reason: "The bucket was created, the answer could not be saved, and the claim is gone: nothing calls again.",
			happen: midway(func(_ *story, o *observed.Objects, truth *observed.BackendState) {
				b := &o.Buckets[0]
				b.Annotations = map[string]string{v1alpha2.BucketClaimBeingDeletedAnnotation: ""}
				b.Status = v1alpha2.BucketStatus{BucketID: bucket, Conditions: []metav1.Condition{{
					Type: v1alpha2.ConditionProvisionFailed, Status: "True", Reason: v1alpha2.ReasonDriverError,
				}}}
				o.Claims, o.Accesses, o.Secrets, truth.Accounts = nil, nil, nil, nil
			}),
		},
		"ReadyToUse": {
			reason: "The claim is ready, and its condition does not say so.",
			happen: seen(func(o *observed.Objects) { o.Claims[0].Status.Conditions = waiting }),
			want:   []summary{{vocabulary.Convergence, "BucketClaim/photos"}, {vocabulary.Status, "BucketClaim/photos"}},
		},
	})
}

// failures makes a call fail with these gaps in between, and finally succeed.
func failures(defaults bool, gaps ...time.Duration) observed.Input {
	s := lifecycle()
	failed := s.happenings[s.index("provision")]
	refusedBy("Unavailable")(&failed.event)
	s.input.DefaultDelays = defaults
	for range gaps {
		s.before("provision", failed.event)
	}
	in := s.history()
	clock, failures := in.Events[0].Time, 0
	for i := range in.Events {
		in.Events[i].Time = clock
		clock = clock.Add(time.Millisecond)
		if in.Events[i].Outcome == "Unavailable" {
			clock = clock.Add(gaps[failures])
			failures++
		}
	}
	return in
}

func TestPace(t *testing.T) {
	const tick = 100 * time.Millisecond
	var even, growing, few []time.Duration
	for i := range 10 {
		even, growing = append(even, tick), append(growing, tick<<i)
	}
	few = even[:6]
	tests := map[string]struct {
		reason string
		input  observed.Input
		found  bool
	}{
		"Even":        {"Nothing slows down.", failures(true, even...), true},
		"Growing":     {"That is back-off.", failures(true, growing...), false},
		"Few":         {"Too few to tell.", failures(true, few...), false},
		"ShortDelays": {"The delays were set short on purpose.", failures(false, even...), false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := oracle.Judge(tc.input)
			if len(got) > 1 || (len(got) == 1) != tc.found || tc.found && (got[0].Oracle != vocabulary.Pace || got[0].Subject != bucket) {
				t.Errorf("%s found %v, want one: %v", tc.reason, got, tc.found)
			}
		})
	}
}
