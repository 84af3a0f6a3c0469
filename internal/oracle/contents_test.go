package oracle_test

import (
	"testing"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

func stored(component, name, subject string) journal.Event {
	return event(component, journal.SeamStore, name, subject, "", "")
}

// storing is an upload whose response has the name of the object.
func storing(name, subject, key string) journal.Event {
	e := stored("gcs", name, subject)
	e.Response = []byte(`{"status":200,"bytes":9,"stored":"` + key + `"}`)
	return e
}

// inStore tells a story in which a driver deletes its bucket in the store, after the given events.
func inStore(before ...journal.Event) func(*story) {
	return func(s *story) {
		s.before("provision", stored("driver", "AdminCreateBucket", bucket))
		for _, e := range before {
			s.before("withdraw", e)
		}
		s.before("release bucket", stored("driver", "AdminDeleteBucket", bucket))
	}
}

func failed(e journal.Event, outcome string) journal.Event {
	e.Outcome = outcome
	return e
}

// TestPurged is about objects that are deleted with their bucket.
//
//nolint:lll // one case a line
func TestPurged(t *testing.T) {
	put := stored("store", "PutObject", bucket+"/a/b")
	lost := []summary{{vocabulary.Loss, "bucket " + bucket}}
	purging := `"parameters":{"nonEmptyDeletion":"purge"}`
	judge(t, map[string]judging{
		"Put":      {reason: "The object is lost.", happen: inStore(put), want: lost},
		"Copied":   {reason: "So is a copy.", happen: inStore(stored("store", "CopyObject", bucket+"/c")), want: lost},
		"Empty":    {reason: "There is nothing in it.", happen: inStore()},
		"Rejected": {reason: "It was not put.", happen: inStore(failed(put, "AccessDenied"))},
		"Deleted":  {reason: "The user has emptied it.", happen: inStore(put, stored("store", "DeleteObject", bucket+"/a/b"))},
		"Unsure":   {reason: "The reply was lost: it may be gone.", happen: inStore(put, failed(stored("store", "DeleteObject", bucket+"/a/b"), "Aborted"))},
		"Many":     {reason: "All of them at once.", happen: inStore(put, stored("store", "DeleteObjects", bucket))},
		"Another":  {reason: "One of two is left.", happen: inStore(put, stored("store", "PutObject", bucket+"/d"), stored("store", "DeleteObject", bucket+"/d")), want: lost},
		"Azure":    {reason: "A blob is lost.", happen: inStore(stored("azure", "PutBlockList", bucket+"/a")), want: lost},
		"Blocks":   {reason: "They are no blob.", happen: inStore(stored("azure", "PutBlock", bucket+"/a"))},
		"GCS":      {reason: "An object of GCS is lost.", happen: inStore(stored("gcs", "objects.insert", bucket+"/a")), want: lost},
		"Session":  {reason: "The upload may not have ended.", happen: inStore(stored("gcs", "objects.insert resumable", bucket+"/a"))},
		"Resumed":  {reason: "This request has ended it.", happen: inStore(storing("objects.insert resumable", bucket+"/a", "a")), want: lost},
		"NoName":   {reason: "Its name is not known.", happen: inStore(stored("gcs", "objects.insert", bucket), stored("gcs", "objects.delete", bucket+"/a"))},
		"Body":     {reason: "The response has its name.", happen: inStore(storing("objects.insert", bucket, "a/b")), want: lost},
		"BodyGone": {reason: "It was deleted.", happen: inStore(storing("objects.insert", bucket, "a/b"), stored("gcs", "objects.delete", bucket+"/a/b"))},
		"Append":   {reason: "Only a blob can be appended to.", happen: inStore(stored("azure", "AppendBlock", bucket+"/a")), want: lost},
		"Emptied":  {reason: "The administrator has emptied it.", happen: inStore(put, stored("store", "AdminEmptyBucket", bucket))},
		"Elsewhere": {
			reason: "It is in another bucket.", happen: inStore(stored("store", "PutObject", bucket+"-2/a")),
		},
		"NotEmpty": {
			reason: "The store rejects the deletion.",
			happen: func(s *story) {
				s.before("withdraw", put)
				s.before("deprovision", failed(stored("driver", "AdminDeleteBucket", bucket), "NotEmpty"))
			},
		},
		"Class": {
			reason: "The class allows it, and the Bucket records that.",
			happen: func(s *story) {
				inStore(put)(s)
				s.change("ready", withText(`"spec":{`, `"spec":{`+purging+`,`))
			},
		},
		"Asked": {
			reason: "The class has said so when the bucket was made.",
			happen: func(s *story) {
				inStore(put)(s)
				s.change("provision", func(e *journal.Event) { e.Request = []byte(`{"bucketId":"` + bucket + `",` + purging + `}`) })
			},
			want: []summary{{vocabulary.Request, "Bucket/" + bucket}}, // its Bucket does not allow it
		},
		"OtherValue": {
			reason: "The class says the contrary.",
			happen: func(s *story) {
				inStore(put)(s)
				s.change("ready", withText(`"spec":{`, `"spec":{"parameters":{"nonEmptyDeletion":"reject"},`))
			},
			want: lost,
		},
		"Driver": {
			reason: "The driver is one that does so.",
			happen: func(s *story) { inStore(put)(s); s.input.Purging = []string{"driver"} },
		},
		"Touched": {
			reason: "The scenario has done it itself.",
			happen: func(s *story) { inStore(put)(s); s.input.External = []string{bucket} },
		},
	})
}
