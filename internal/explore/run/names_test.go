package run

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// TestNamesOfIDs replaces the IDs that a driver chooses, which are others in each run.
func TestNamesOfIDs(t *testing.T) {
	const uid = "0c8db399-262a-4454-8f39-901982ed8303"
	call := func(method, request, response string) journal.Event {
		return journal.Event{
			Seam: journal.SeamRPC, Operation: journal.Operation{Name: method},
			Request: json.RawMessage(request), Response: json.RawMessage(response), Outcome: journal.OutcomeOK,
		}
	}
	n := NewNames("story")
	n.Learn("BucketClaim", "photos", uid)
	n.Read([]journal.Event{
		call("DriverCreateBucket", `{"name":"bucket-`+uid+`"}`, `{"bucketId":"us-east/4711"}`),
		call("DriverGrantBucketAccess", `{"name":"ba-1","bucketId":"us-east/4711"}`, `{"accountId":"42"}`),
		call("DriverGrantBucketAccess", `{"name":"ba-2"}`, `{"accountId":"acc-`+uid+`"}`),
		call("DriverCreateBucket", `{"name":"same"}`, `{"bucketId":"same"}`),
	})
	got := map[string]string{}
	for _, text := range []string{
		"us-east/4711", "bucket us-east/4711 is left after 42 ms", "42", "acc-" + uid, "same",
	} {
		got[text] = n.In(text)
	}
	want := map[string]string{
		"us-east/4711": "<bucket of bucket-<BucketClaim/photos>>",
		"bucket us-east/4711 is left after 42 ms": "bucket <bucket of bucket-<BucketClaim/photos>> is left after 42 ms",
		"42": "<account of ba-1>", "acc-" + uid: "acc-<BucketClaim/photos>", "same": "same",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("texts: -want, +got:\n%s", diff)
	}
	patterns := map[string]string{"us-east/4711": "*", "42": "*", "acc-" + uid: "acc-*", "same": "same"}
	for subject, want := range patterns {
		if got := n.Pattern(subject); got != want {
			t.Errorf("the pattern of %s is %s, want %s", subject, got, want)
		}
	}
}
