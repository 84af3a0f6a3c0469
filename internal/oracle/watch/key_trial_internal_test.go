package watch

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/emulator/backend"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/eventscope"
	"github.com/cosi-emu/cosi-emu/internal/oracle/evidence"
	"github.com/cosi-emu/cosi-emu/internal/oracle/observed"
)

// TestIDsOf: a driver gives an account an ID that does not show its owner, beside another run.
func TestIDsOf(t *testing.T) {
	j := journal.New(journal.Options{})
	call := func(name, id string) {
		e := j.Begin("sidecar", 1, journal.SeamRPC, journal.Operation{Name: evidence.GenerateAccountID, Subject: name})
		e.Outcome = journal.OutcomeOK
		e.Request, e.Response = json.RawMessage(`{"accountName":"`+name+`"}`), json.RawMessage(`{"accountId":"`+id+`"}`)
		j.Append(e)
	}
	call("ba-story-1", "random")
	call("ba-story-2", "of-another-run")
	w := &Watcher{journal: j}
	want := map[string]bool{"random": true}
	if diff := cmp.Diff(want, w.idsOf(eventscope.Scope{Words: []string{"story-1"}})); diff != "" {
		t.Errorf("idsOf() (-want +got):\n%s", diff)
	}
}

// TestBucketsToTry has a rotated key, for which the store did not report the buckets.
func TestBucketsToTry(t *testing.T) {
	issued := []backend.IssuedKey{
		{Account: "a", Secret: "1", Buckets: []string{"photos"}}, {Account: "b", Buckets: []string{"films"}}, {Account: "a", Secret: "2"},
	}
	truth := &observed.BackendState{
		Buckets:  []fakedriver.Bucket{leftBucket("films"), leftBucket("foreign")},
		Accounts: []fakedriver.Account{{AccountSpec: fakedriver.AccountSpec{ID: "a", Grants: []fakedriver.Grant{{Bucket: "secret"}}}}},
	}
	ours := func(names ...string) bool { return names[0] == "films" }
	want := []string{"", "photos", "photos-probe", "secret", "films"}
	if diff := cmp.Diff(want, bucketsToTry(issued[2], issued, truth, ours)); diff != "" {
		t.Errorf("bucketsToTry() (-want +got):\n%s", diff)
	}
}

func leftBucket(name string) fakedriver.Bucket {
	return fakedriver.Bucket{BucketSpec: fakedriver.BucketSpec{Name: name}}
}
