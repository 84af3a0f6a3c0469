package oracle_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/oracle"
	"github.com/cosi-emu/cosi-emu/internal/oracle/observed"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// TestOverlappingCalls: the driver takes long for a call.
func TestOverlappingCalls(t *testing.T) {
	tests := map[string]struct {
		slow, during string
		change       func(*journal.Event)
		want         []summary
	}{
		"SameBucket":         {slow: "provision", during: "grant", want: []summary{{vocabulary.Order, "bucket " + bucket}}},
		"ReadOnly":           {slow: "name account", during: "grant"},
		"AnotherIncarnation": {slow: "provision", during: "grant", change: func(e *journal.Event) { e.Incarnation++ }},
		"OneAfterTheOther":   {slow: "provision", during: "name account"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s := lifecycle()
			if tc.change != nil {
				s.change(tc.during, tc.change)
			}
			slow, during := s.index(tc.slow), s.index(tc.during)
			in := s.history()
			in.Events[slow].Duration = in.Events[during].Time.Sub(in.Events[slow].Time) + time.Microsecond
			if diff := cmp.Diff(tc.want, summaries(oracle.Judge(in))); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

// ofClass gives the claim its class, and the Bucket the fields that follow from it.
func ofClass(s *story) {
	everywhere(s, claimMeta, claimMeta+`,"creationTimestamp":"2026-01-01T00:00:00Z"`)
	s.change("protect claim", withText(`"status":{`, `"spec":{"bucketClassName":"standard","protocols":["S3"]},"status":{`))
	s.change("create bucket", func(e *journal.Event) {
		created := bucketSpec[:len(bucketSpec)-1] + `,"parameters":{"tier":"gold"},"protocols":["S3"]}`
		e.Request = json.RawMessage(object(bucketMeta, created))
	})
	class := standard()
	class.Spec.Parameters = map[string]string{"tier": "gold"}
	objects := observed.Objects{BucketClasses: []v1alpha2.BucketClass{class}}
	s.input.Observations = []observed.Observation{{Name: "at the end", Objects: objects}}
}

func TestBucketOfClass(t *testing.T) {
	ofBucket := []summary{{vocabulary.Request, "Bucket/" + bucket}}
	created := func(from, to string) func(*story) {
		return func(s *story) { ofClass(s); asking("create bucket", from, to)(s) }
	}
	judge(t, map[string]judging{
		"Same":       {reason: "All of it follows from class and claim.", happen: ofClass},
		"Parameters": {reason: "Those of the class are lost.", happen: created(`"parameters":{"tier":"gold"},`, ``), want: ofBucket},
		"Policy": {
			reason: "The class says Delete.",
			happen: created(`"deletionPolicy":"Delete"`, `"deletionPolicy":"Retain"`), want: ofBucket,
		},
		"Protocols": {reason: "The claim asks for one more.", happen: created(`["S3"]`, `[]`), want: ofBucket},
		"Driver": {
			reason: "The class has another driver.",
			happen: created(`"driverName":"`+driver+`"`, `"driverName":"two.test"`), want: ofBucket,
		},
		"NewerClass": {
			reason: "A class that is newer than the claim may not be the one that it had.",
			happen: func(s *story) {
				created(`"parameters":{"tier":"gold"},`, ``)(s)
				s.input.Observations[0].Objects.BucketClasses[0].CreationTimestamp = metav1.Date(2026, 1, 1, 0, 0, 1, 0, time.UTC)
			},
		},
		"PersonWrites": {
			reason: "An administrator makes Buckets as they please.",
			happen: func(s *story) {
				created(`"parameters":{"tier":"gold"},`, ``)(s)
				s.change("create bucket", func(e *journal.Event) { e.Component = "administrator" })
			},
		},
	})
}

func TestUnknownNames(t *testing.T) {
	judge(t, map[string]judging{
		"Account": {
			reason: "Two accesses can have this name.",
			happen: asking("name account", `"accountName":"`+account+`"`, `"accountName":"ba-`+ns+`-app"`),
			want:   []summary{{vocabulary.Request, "ba-" + ns + "-app"}},
		},
		"Bucket": {
			reason: "Two Buckets can have this name.",
			happen: asking("generate", bucket, ns+"-photos"),
			want:   []summary{{vocabulary.Request, ns + "-photos"}},
		},
		"Incomplete": {
			reason: "The events of the object may be missing.",
			happen: func(s *story) {
				asking("generate", bucket, ns+"-photos")(s)
				s.input.Incomplete = true
			},
		},
	})
}

func TestRemovedMetadata(t *testing.T) {
	const theirs = `,"resourceVersion":"7","labels":{"team":"a"},"annotations":{"example.com/a":"b"},` +
		`"finalizers":["example.com/hold","` + finalizer + `"]`
	foreign := []summary{{vocabulary.Foreign, "Bucket/" + bucket}}
	patched := func(request, meta string) func(*story) {
		return func(s *story) {
			s.before("deprovision", bucketEvent(`{}`, theirs+going, `"bucketID":"`+bucket+`"`))
			s.before("deprovision", bucketEvent(request, meta+going, `"bucketID":"`+bucket+`"`))
		}
	}
	judge(t, map[string]judging{
		"Annotations": {reason: "All annotations go.", happen: patched(`{"metadata":{"annotations":null}}`, theirs), want: foreign},
		"AnnotationsBefore": {
			reason: "The write had its effect before they were there, and its request took longer.",
			happen: func(s *story) {
				patched(`{"metadata":{"annotations":null}}`, strings.Replace(theirs, `"7"`, `"6"`, 1))(s)
				s.happenings[s.index("deprovision")-2].event.Duration = 3 * time.Millisecond
			},
		},
		"Label": {reason: "One label goes.", happen: patched(`{"metadata":{"labels":{"team":null}}}`, theirs), want: foreign},
		"OwnAnnotation": {
			reason: "COSI removes what is COSI's.",
			happen: patched(`{"metadata":{"annotations":{"objectstorage.k8s.io/bucketclaim-being-deleted":null}}}`, theirs),
		},
		"Finalizers": {
			reason: "All finalizers go, and another component still needs its own.",
			happen: func(s *story) {
				patched(`{"metadata":{"resourceVersion":"7","finalizers":null}}`, "")(s)
				s.move("deprovision", "delete bucket")
			},
			want: foreign,
		},
		"FinalizerOfUser": {
			reason: "The write is of another version: the finalizer was gone by then.",
			happen: func(s *story) {
				patched(`{"metadata":{"resourceVersion":"8","finalizers":null}}`, "")(s)
				s.move("deprovision", "delete bucket")
			},
		},
		"ByPerson": {
			reason: "People remove what they want.",
			happen: func(s *story) {
				s.before("deprovision", bucketEvent(`{}`, theirs+going, `"bucketID":"`+bucket+`"`))
				s.before("deprovision", person("patch buckets", bucket, `{"metadata":{"labels":null,"annotations":null}}`,
					object(bucketMeta+protected+going, bucketSpec)))
			},
		},
	})
}

func TestEditedSpec(t *testing.T) {
	const retained = `"deletionPolicy":"Retain"`
	change := func(s *story) {
		s.before("delete bucket", bucketEvent(`{"spec":{`+retained+`}}`, protected, `"bucketID":"`+bucket+`"`))
	}
	judge(t, map[string]judging{
		"Policy": {reason: "No component may decide about data.", happen: change, want: []summary{{vocabulary.Foreign, "Bucket/" + bucket}}},
		"SamePolicy": {
			reason: "The write changes nothing.",
			happen: func(s *story) { change(s); everywhere(s, `"deletionPolicy":"Delete"`, retained) },
			want:   []summary{{vocabulary.Loss, "bucket " + bucket}}, // the driver deletes it in this story
		},
		"Binding": {
			reason: "The UID of the claim is the controller's to write.",
			happen: func(s *story) {
				s.before("delete bucket", bucketEvent(`{"spec":{"bucketClaimRef":{"uid":"`+uid+`"}}}`, protected, `"bucketID":"`+bucket+`"`))
			},
		},
	})
}

func TestEditedSecret(t *testing.T) {
	edit := func(request string) func(*story) {
		return func(s *story) {
			s.before("withdraw", person("patch secrets", ns+"/key", request, secretBody))
		}
	}
	values := edit(`{"data":{"KEY":"x"}}`)
	seen := func(changes ...func(*story)) func(*story) {
		return func(s *story) {
			for _, change := range changes {
				change(s)
			}
			midway(nothing)(s)
		}
	}
	restore := func(s *story) {
		s.before("withdraw", api("sidecar", "update secrets", ns+"/key", secretBody, secretBody))
	}
	judge(t, map[string]judging{
		"NotRestored": {
			reason: "The application reads what a person wrote.", happen: seen(values),
			want: []summary{{vocabulary.Loss, "Secret/key"}},
		},
		"Restored": {reason: "The sidecar has written the values again.", happen: seen(values, restore)},
		"Metadata": {reason: "The values are the driver's.", happen: seen(edit(`{"metadata":{"labels":{"a":"b"}}}`))},
		"EditedAgain": {
			reason: "The last edit counts.", happen: seen(values, restore, edit(`{"data":{"KEY":"y"}}`)),
			want: []summary{{vocabulary.Loss, "Secret/key"}},
		},
	})
}

func TestClaimNotReleased(t *testing.T) {
	waits := func(announced bool) func(*story) {
		return afterwards(func(s *story, o *observed.Objects, truth *observed.BackendState) {
			s.drop("release bucket", "release claim")
			s.change("deprovision", refusedBy("Unavailable"))
			all, backend := well()
			claim, b, now := all.Claims[0], all.Buckets[0], metav1.Now()
			claim.DeletionTimestamp, claim.Finalizers, claim.Status.ReadyToUse = &now, []string{finalizer}, false
			b.DeletionTimestamp, b.Status.ReadyToUse = &now, false
			b.Status.Conditions = retried
			if announced {
				b.Annotations = map[string]string{v1alpha2.BucketClaimBeingDeletedAnnotation: ""}
			}
			o.Claims, o.Buckets, truth.Buckets = []v1alpha2.BucketClaim{claim}, []v1alpha2.Bucket{b}, backend.Buckets
		})
	}
	judge(t, map[string]judging{
		"Announced": {
			reason: "The Bucket reports progress and failure; the claim has nothing to wait for.",
			happen: waits(true), want: []summary{{vocabulary.Convergence, "BucketClaim/photos"}},
		},
		"NotAnnounced": {reason: "The sidecar does not know yet.", happen: waits(false)},
	})
}

// TestSecretOutlivesRevocation: the Secret waits for its finalizer.
func TestSecretOutlivesRevocation(t *testing.T) {
	const meta = `"name":"key","namespace":"` + ns + `","deletionTimestamp":"2026-01-01T00:00:00Z"`
	released := func(before string) func(*story) {
		return func(s *story) {
			s.before(before, api("sidecar", "patch secrets", ns+"/key", `{"metadata":{"finalizers":null}}`,
				object(meta+`,"annotations":{"objectstorage.k8s.io/bucketaccess-reference":"`+ns+`/app"}`)))
		}
	}
	judge(t, map[string]judging{
		"Before": {reason: "The Secret is gone before the access is revoked.", happen: released("revoke")},
		"After": {
			reason: "Applications can read a key that opens nothing.", happen: released("release access"),
			want: []summary{{vocabulary.Order, "Secret/key"}},
		},
	})
}
