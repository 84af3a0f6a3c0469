package oracle_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/eventscope"
	"github.com/cosi-emu/cosi-emu/internal/oracle"
	"github.com/cosi-emu/cosi-emu/internal/oracle/checks"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

type summary struct{ Oracle, Subject string }

func summaries(found []checks.Finding) []summary {
	var all []summary
	for _, f := range found {
		all = append(all, summary{f.Oracle, f.Subject})
	}
	return all
}

// unstated matches findings on which the KEP has no sentence.
var unstated = regexp.MustCompile(`with object|has no object|^kube-apiserver (returned|has lost)`)

// judging is a row of a table: a story, and the findings in it.
type judging struct {
	reason string
	happen func(*story)
	want   []summary
}

func judge(t *testing.T, tests map[string]judging) {
	t.Helper()
	judgeStory(t, lifecycle, tests)
}

func judgeStory(t *testing.T, lifecycle func() *story, tests map[string]judging) {
	t.Helper()
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s := lifecycle()
			tc.happen(s)
			in := s.history()
			got := oracle.Judge(in)
			if diff := cmp.Diff(tc.want, summaries(got)); diff != "" {
				t.Errorf("%s\nfindings (-want +got):\n%s%v", tc.reason, diff, got)
			}
			for _, f := range got {
				if f.Sentence() == "" && !in.IsV1alpha1() && !unstated.MatchString(f.Message) {
					t.Errorf("%s rests on no sentence", f)
				}
				for _, seq := range f.Events {
					if seq == 0 || seq > uint64(len(in.Events)) {
						t.Errorf("%s is shown by event %d, which is not there", f, seq)
					}
				}
			}
		})
	}
}

func lost(e *journal.Event) { e.Outcome, e.Response, e.Fault = "Timeout", nil, "lost" }

func refusedBy(outcome string) func(*journal.Event) {
	return func(e *journal.Event) { e.Outcome, e.Response = outcome, nil }
}

func TestOrder(t *testing.T) {
	judge(t, map[string]judging{
		"Clean": {reason: "A whole life, as the KEP has it.", happen: func(*story) {}},
		"CreateBeforeID": {
			reason: "The ID is persisted after the bucket is made.",
			happen: func(s *story) { s.move("provision", "identify") },
			want:   []summary{{vocabulary.Order, bucket}},
		},
		"IDByUser": {
			reason: "The Bucket shows the ID although no component has written it: a user has, and the journal does not show that.",
			happen: func(s *story) { s.drop("identify") },
		},
		"IDNeverPersisted": {
			reason: "No object ever records the bucket.",
			happen: func(s *story) { s.until("ready"); s.drop("identify") },
			want:   []summary{{vocabulary.Order, bucket}},
		},
		"IDRefused": {
			reason: "The API server rejected the write of the ID, and the bucket was created nevertheless.",
			happen: func(s *story) { s.until("ready"); s.change("identify", refusedBy("Conflict")) },
			want:   []summary{{vocabulary.Order, bucket}},
		},
		"ReplyLost": {
			reason: "It cannot be known that the ID was not persisted.",
			happen: func(s *story) { s.change("identify", lost) },
		},
		"BucketUnprotected": {
			reason: "The finalizer comes after the bucket.",
			happen: func(s *story) {
				s.change("identify", func(e *journal.Event) {
					e.Response = []byte(object(bucketMeta, bucketSpec, `"status":{"bucketID":"`+bucket+`"}`))
				})
				s.move("protect bucket", "ready")
			},
			want: []summary{{vocabulary.Order, "Bucket/" + bucket}},
		},
		"ClaimUnprotected": {
			reason: "The Bucket is there before the claim is held.",
			happen: func(s *story) { s.move("protect claim", "protect bucket") },
			want:   []summary{{vocabulary.Order, "BucketClaim/photos"}},
		},
		"GrantBeforeID": {
			reason: "The credentials are made before the account is known.",
			happen: func(s *story) { s.move("grant", "identify access") },
			want:   []summary{{vocabulary.Order, account}},
		},
		"RevokeBeforeSecret": {
			reason: "Applications are handed credentials that do not work.",
			happen: func(s *story) { s.move("revoke", "delete secret") },
			want:   []summary{{vocabulary.Order, "Secret/key"}},
		},
		"AccessNeverRevoked": {
			reason: "The access goes with its credentials valid. That the claim and the bucket go follows from it.",
			happen: func(s *story) { s.drop("revoke") },
			want:   []summary{{vocabulary.Order, "BucketAccess/app"}},
		},
		"ReturnedBeforeRevoke": {
			reason: "The sidecar returns the access to the controller, which rightly lets it go, before the driver has revoked it.",
			happen: func(s *story) {
				s.before("revoke", returned())
				s.move("revoke", "release bucket")
			},
			want: []summary{{vocabulary.Order, "BucketAccess/app"}},
		},
		"ReturnedWithoutAnAnswer": {
			reason: "The write that returns the access has no answer, so that only the later one is certain.",
			happen: func(s *story) {
				lost := returned()
				lost.Outcome, lost.Response = "ConnectionError", nil
				s.before("revoke", lost)
				seen := returned()
				seen.Operation.Name, seen.Request = "get bucketaccesses", nil
				s.before("revoke", seen)
				s.move("revoke", "release bucket")
			},
			want: []summary{{vocabulary.Order, "BucketAccess/app"}},
		},
		"ReturnedAfterRevoke": {
			reason: "The sidecar returns the access to the controller.",
			happen: func(s *story) { s.before("release access", returned()) },
		},
		"GivenUpByPerson": {
			reason: "A person has removed the finalizer, which the component sees in the response to a write to the status.",
			happen: func(s *story) {
				s.before("withdraw", accessEvent("sidecar", `{"status":{"readyToUse":false}}`, going, handedOff+`,"accountID":"`+account+`"`))
				s.drop("withdraw", "release access")
			},
		},
		"BucketBeforeAccessIsReturned": {
			reason: "The access is given up too early, too, but the deletion of its bucket was wrong before.",
			happen: func(s *story) {
				s.move("deprovision", "delete secret")
				s.before("revoke", returned())
			},
			want: []summary{{vocabulary.Order, "BucketAccess/app"}, {vocabulary.Order, "bucket " + bucket}},
		},
		"BucketBeforeAccess": {
			reason: "The bucket is deleted under an access.",
			happen: func(s *story) { s.move("deprovision", "delete secret") },
			want:   []summary{{vocabulary.Order, "bucket " + bucket}},
		},
		"BucketLetGo": {
			reason: "The Bucket goes before the driver has deleted anything.",
			happen: func(s *story) { s.move("release bucket", "deprovision") },
			want:   []summary{{vocabulary.Order, "Bucket/" + bucket}},
		},
		"ClaimInUse": {
			reason: "The claim goes while an access needs it.",
			happen: func(s *story) { s.before("withdraw", announcement()); s.move("release claim", "withdraw") },
			want:   []summary{{vocabulary.Order, "BucketClaim/photos"}},
		},
		"Unannounced": {
			reason: "The claim goes, and its Bucket does not say so.",
			happen: func(s *story) { s.move("release claim", "delete bucket") },
			want:   []summary{{vocabulary.Order, "Bucket/" + bucket}},
		},
		"Announced": {
			reason: "The claim goes, and its Bucket says so.",
			happen: func(s *story) { s.before("delete bucket", announcement()); s.move("release claim", "delete bucket") },
		},
		"AnnouncedDuringARead": {
			reason: "The claim goes, and its Bucket says so. The response to a read that began meanwhile comes later.",
			happen: func(s *story) {
				announced := announcement()
				announced.Response, announced.Duration = versioned(announced.Response, 10), time.Second
				s.before("delete bucket", announced)
				late := bucketEvent("", protected, "")
				late.Operation.Name, late.Response = "get buckets", versioned(late.Response, 9)
				s.before("delete bucket", late)
				s.move("release claim", "delete bucket")
			},
		},
		"ReleasedDuringARead": {
			reason: "The claim goes, and its Bucket was released. The response to a read that began before comes later.",
			happen: func(s *story) {
				free := bucketEvent(`{"spec":{"bucketClaimRef":{}}}`, protected, "")
				free.Response = versioned(json.RawMessage(strings.Replace(string(free.Response), uid, "", 1)), 10)
				free.Duration = time.Second
				s.drop("delete bucket", "deprovision", "release bucket")
				s.before("release claim", free)
				s.change("release claim", func(e *journal.Event) { e.Duration = time.Second }) // the read begins meanwhile
				late := bucketEvent("", protected, "")
				late.Operation.Name, late.Response = "get buckets", versioned(late.Response, 9)
				s.happenings = append(s.happenings, happening{"late", late})
			},
		},
		"BoundAfterARead": {
			reason: "The claim goes, and a read that begins later shows that its Bucket is bound.",
			happen: func(s *story) {
				s.drop("delete bucket", "deprovision", "release bucket")
				read := bucketEvent("", protected, "")
				read.Operation.Name = "get buckets"
				s.happenings = append(s.happenings, happening{"read", read})
			},
			want: []summary{{vocabulary.Order, "Bucket/" + bucket}},
		},
		"RemovedByForce": {
			reason: "A user has removed the Bucket by force, which the journal does not show.",
			happen: func(s *story) { s.drop("delete bucket", "deprovision", "release bucket") },
		},
		"DeletedByPerson": {
			reason: "A person has deleted the Bucket, which the component sees later.",
			happen: func(s *story) {
				s.before("delete bucket", person("delete buckets", bucket, "", `{"kind":"Status"}`))
				s.move("release claim", "delete bucket")
			},
		},
		"Retried": {
			reason: "Calls that are repeated are in order.",
			happen: func(s *story) {
				s.before("provision", s.happenings[s.index("generate")].event)
				s.before("ready", s.happenings[s.index("provision")].event)
				s.before("deprovision", s.happenings[s.index("revoke")].event)
			},
		},
		"Incomplete": {
			reason: "Events that the journal has dropped cause no finding.",
			happen: func(s *story) {
				s.input.Incomplete = true
				s.happenings = s.happenings[s.index("provision"):s.index("delete secret")]
			},
		},
		"NotOurs": {
			reason: "Others are judged by others.",
			happen: func(s *story) {
				s.move("provision", "identify")
				s.input.Scope = eventscope.Scope{Namespaces: []string{"story-11"}, Words: []string{"story-11"}}
			},
		},
		"UnknownWhenAlone": {
			reason: "A call for an unknown bucket is a component's mistake.",
			happen: func(s *story) {
				s.input.Scope = eventscope.Scope{Alone: true, Namespaces: []string{ns}}
				s.before("ready", rpc("DriverCreateBucket", "stray", `{"bucketId":"stray"}`, `{}`))
			},
			want: []summary{{vocabulary.Order, "stray"}},
		},
	})
}

// TestOrderOfOverlapping has a write that ends after the call has started.
func TestOrderOfOverlapping(t *testing.T) {
	s := lifecycle()
	in := s.history()
	at := s.index("identify")
	in.Events[at].Duration = 5 * time.Millisecond
	want := []summary{{vocabulary.Order, bucket}}
	if diff := cmp.Diff(want, summaries(oracle.Judge(in))); diff != "" {
		t.Errorf("findings when the ID was still on its way (-want +got):\n%s", diff)
	}
}

// announcement annotates the Bucket for the deletion of its claim.
// versioned returns an object with a resource version.
func versioned(object []byte, version int) []byte {
	return []byte(strings.Replace(string(object), `"metadata":{`, fmt.Sprintf(`"metadata":{"resourceVersion":"%d",`, version), 1))
}

func announcement() journal.Event {
	return api("controller", "patch buckets", bucket, "{}",
		object(bucketMeta+protected+`,"annotations":{"objectstorage.k8s.io/bucketclaim-being-deleted":""}`, bucketSpec,
			`"status":{"bucketID":"`+bucket+`"}`))
}

// returned is the write with which the sidecar returns the access as cleaned up.
func returned() journal.Event {
	const annotations = `"annotations":{"` + v1alpha2.SidecarCleanupFinishedAnnotation + `":""}`
	return accessEvent("sidecar", `{"metadata":{`+annotations+`}}`, protected+going+","+annotations, handedOff+`,"accountID":"`+account+`"`)
}
