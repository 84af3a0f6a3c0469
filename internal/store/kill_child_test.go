package store_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/store"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// TestKillChild is the process that TestKill kills. It serves a store, and prints its changes of
// accounts meanwhile.
func TestKillChild(t *testing.T) {
	s := serve(t, store.Options{Dir: harness.ChildDir(t)})
	s.bucket(t, "photos")
	s.bucket(t, "albums", func(b *fakedriver.BucketSpec) { b.Versioning = true })
	app := s.survivors(t)
	harness.Tell(t, s.url+" "+app.AccessKeyID+" "+app.SecretAccessKey)
	for i := 0; t.Context().Err() == nil; i++ { // until it is killed
		s.administer(t, fmt.Sprint("account-", os.Getpid(), "-", i), i)
	}
}

// survivors is the account of the clients.
func (s *server) survivors(t *testing.T) fakedriver.Credentials {
	t.Helper()
	all := func(bucket string) fakedriver.Grant {
		return fakedriver.Grant{Bucket: bucket, ObjectData: fakedriver.ReadWrite, ObjectMetadata: fakedriver.ReadWrite}
	}
	return s.account(t, "survivors", all("photos"), all("albums"))
}

// administer creates an account, rotates it or deletes it, and does the same with a bucket.
func (s *server) administer(t *testing.T, id string, i int) {
	t.Helper()
	harness.Tell(t, "changing "+id)
	c := s.account(t, id, readWrite("photos"))
	harness.Tell(t, "account "+id+" "+c.SecretAccessKey)
	s.bucket(t, id)
	harness.Tell(t, "changing "+id)
	if i%2 == 0 {
		s.revoke(t, id)
		harness.Tell(t, "gone "+id)
	} else {
		c, err := s.RotateAccount(t.Context(), owner, id)
		if err != nil {
			t.Fatal(err)
		}
		harness.Tell(t, "account "+id+" "+c.SecretAccessKey)
	}
	if err := s.DeleteBucket(t.Context(), owner, id); err != nil {
		t.Fatal(err)
	}
}
