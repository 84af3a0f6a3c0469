package oracle_test

import (
	"testing"

	"github.com/cosi-emu/cosi-emu/emulator/backend"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/oracle/observed"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// TestKept is about missing buckets that must be kept.
func TestKept(t *testing.T) {
	kept := func(s *story) {
		s.drop("delete bucket", "deprovision", "release bucket", "release claim")
		for _, label := range []string{"identify", "ready"} {
			s.change(label, withPolicy("Retain"))
		}
	}
	existing := func(s *story) {
		s.drop("delete bucket", "deprovision", "release bucket", "release claim")
		s.change("ready", withText(`"spec":{`, `"spec":{"existingBucketID":"`+bucket+`",`))
	}
	gone := []summary{{vocabulary.Loss, "bucket " + bucket}}
	deleted := stored("driver", "AdminDeleteBucket", bucket)
	judge(t, map[string]judging{
		"Retain": {
			reason: "Nothing has asked the driver to delete the bucket.",
			happen: func(s *story) { kept(s); afterwards(nothing)(s) },
			want:   gone,
		},
		"Existing": {
			reason: "Nor that which was there before COSI.",
			happen: func(s *story) { existing(s); afterwards(nothing)(s) },
			want:   gone,
		},
		"There": {
			reason: "The bucket is there.",
			happen: func(s *story) {
				kept(s)
				afterwards(func(_ *story, _ *observed.Objects, truth *observed.BackendState) {
					truth.Buckets = []fakedriver.Bucket{leftBucket(bucket, driver)}
				})(s)
			},
		},
		"NeverCreated": {
			reason: "No driver has said that it exists.",
			happen: func(s *story) { kept(s); s.change("provision", refusedBy("Internal")); afterwards(nothing)(s) },
		},
		"Touched": {
			reason: "The scenario itself has deleted it.",
			happen: func(s *story) { kept(s); s.input.External = []string{bucket}; afterwards(nothing)(s) },
		},
		"PolicyDelete": {
			reason: "The policy was Delete, and so it was deleted.",
			happen: func(s *story) { s.change("ready", withPolicy("Delete")); afterwards(nothing)(s) },
		},
		"Unasked": {
			reason: "The driver has deleted the bucket when the access was revoked, and created it again.",
			happen: func(s *story) {
				s.before("delete bucket", deleted)
				s.before("delete bucket", stored("driver", "AdminCreateBucket", bucket))
			},
			want: gone,
		},
		"Undone": {
			reason: "The driver has undone what has failed.",
			happen: func(s *story) { s.before("provision", deleted) },
		},
	})
}

// TestUserRequest: a step of the scenario sets the policy Retain before the bucket is deleted.
func TestUserRequest(t *testing.T) {
	judge(t, map[string]judging{
		"CacheAlone": {
			reason: "The sidecar did not look at the Bucket before it deleted the bucket.",
			happen: func(s *story) {
				request := retain("Retain")
				for range s.happenings[:s.index("deprovision")] {
					request.Seq++
				}
				s.input.Requests = append(s.input.Requests, request)
			},
			want: []summary{{vocabulary.Loss, "bucket " + bucket}},
		},
	})
}

func TestLostObjects(t *testing.T) {
	holding := func(held backend.Contents) func(*story) {
		return func(s *story) {
			s.before("provision", stored("driver", "AdminCreateBucket", bucket))
			s.before("withdraw", stored("store", "PutObject", bucket+"/a/b"))
			s.before("withdraw", stored("store", "PutObject", bucket+"/c"))
			s.before("withdraw", stored("store", "DeleteObject", bucket+"/c"))
			midway(func(_ *story, _ *observed.Objects, truth *observed.BackendState) {
				truth.Contents = map[string]backend.Contents{bucket: held}
			})(s)
		}
	}
	judge(t, map[string]judging{
		"There":     {reason: "It is there.", happen: holding(backend.Contents{Keys: []string{"a/b"}})},
		"Truncated": {reason: "It may be there.", happen: holding(backend.Contents{Truncated: true})},
		"Lost": {
			reason: "No request has deleted it.", happen: holding(backend.Contents{}),
			want: []summary{{vocabulary.Loss, "bucket " + bucket}},
		},
	})
}

func TestUnreachable(t *testing.T) {
	judge(t, map[string]judging{
		"Both": {
			reason: "The Bucket says that it has failed, and claim and access are ready.",
			happen: midway(func(_ *story, objects *observed.Objects, truth *observed.BackendState) {
				objects.Buckets[0].Status.ReadyToUse = false
				objects.Buckets[0].Status.Conditions = retried
				truth.Buckets = nil
			}),
			want: []summary{
				{vocabulary.Loss, "BucketClaim/photos"},
				{vocabulary.Loss, "BucketAccess/app"},
				{vocabulary.Status, "BucketClaim/photos"},
				{vocabulary.Status, "Bucket/" + bucket},
			},
		},
		"NoBucket": {
			reason: "The Bucket is gone, and the access is ready.",
			happen: midway(func(_ *story, objects *observed.Objects, truth *observed.BackendState) {
				objects.Buckets, truth.Buckets = nil, nil
				objects.Claims[0].Status.ReadyToUse = false
				objects.Claims[0].Status.Conditions = retried
			}),
			want: []summary{{vocabulary.Loss, "BucketAccess/app"}},
		},
	})
}

func TestLeakedContents(t *testing.T) {
	files := func(change func(*story, *observed.BackendState)) func(*story) {
		return afterwards(func(s *story, _ *observed.Objects, truth *observed.BackendState) {
			s.input.Scope.Alone = true
			truth.Files = []string{"store/blobs/7"}
			change(s, truth)
		})
	}
	upload := func(s *story) (*observed.Objects, *observed.BackendState) {
		s.drop("delete bucket", "deprovision", "release bucket", "release claim")
		s.change("ready", withPolicy("Retain"))
		truth := &observed.BackendState{
			Drivers: []string{driver}, Buckets: []fakedriver.Bucket{leftBucket(bucket, driver)},
			Contents: map[string]backend.Contents{bucket: {Uploads: []string{"film"}}},
		}
		return &observed.Objects{}, truth
	}
	judge(t, map[string]judging{
		"File": {
			reason: "All buckets are deleted.", happen: files(func(*story, *observed.BackendState) {}),
			want: []summary{{vocabulary.Leak, "file store/blobs/7"}},
		},
		"SmallContent": {
			reason: "The database of the store has it, and all buckets are deleted.",
			happen: files(func(_ *story, truth *observed.BackendState) { truth.Files = []string{"store/store.db#7"} }),
			want:   []summary{{vocabulary.Leak, "file store/store.db#7"}},
		},
		"FileOfOthers": {
			reason: "Another run may have a bucket for a moment.",
			happen: files(func(s *story, _ *observed.BackendState) { s.input.Scope.Alone = false }),
		},
		"FileBefore": {
			reason: "It was there before.",
			happen: files(func(s *story, truth *observed.BackendState) {
				s.input.Before = &observed.Observation{Backend: &observed.BackendState{Files: truth.Files}}
			}),
		},
		"FileOfBucket": {
			reason: "There is a bucket that it may be of.",
			happen: files(func(_ *story, truth *observed.BackendState) {
				truth.Buckets = []fakedriver.Bucket{leftBucket("archive", backend.RootAccount)}
			}),
		},
		"Upload": {
			reason: "No account has access to the retained bucket.",
			happen: func(s *story) { objects, truth := upload(s); s.look(*objects, truth) },
			want:   []summary{{vocabulary.Leak, "bucket " + bucket}},
		},
		"UploadOfAzure": {
			reason: "Azure discards blocks that are never committed.",
			happen: func(s *story) {
				objects, truth := upload(s)
				truth.Buckets[0].Protocol = fakedriver.ProtocolAzure
				s.look(*objects, truth)
			},
		},
		"UploadOfAccess": {
			reason: "An application can complete the upload.",
			happen: func(s *story) {
				_, truth := upload(s)
				s.until("withdraw")
				all, before := well()
				truth.Accounts = before.Accounts
				s.look(all, truth)
			},
		},
		"UploadOfBucket": {
			reason: "Another access may complete the upload.",
			happen: func(s *story) {
				_, truth := upload(s)
				all, _ := well()
				all.Accesses, all.Secrets = nil, nil
				s.look(all, truth)
			},
		},
	})
}
