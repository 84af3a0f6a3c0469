package store_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/test/harness"
	"github.com/cosi-emu/cosi-emu/test/s3test"
)

// TestKillChild is the process that TestKill kills. It serves a store, and prints its changes of
// accounts meanwhile.
func TestKillChild(t *testing.T) {
	s := s3test.Serve(t, s3test.Options{Dir: harness.ChildDir(t)})
	s.Bucket(t, "photos")
	s.Bucket(t, "albums", func(b *fakedriver.BucketSpec) { b.Versioning = true })
	app := addSurvivors(t, s)
	harness.Tell(t, s.URL+" "+app.AccessKeyID+" "+app.SecretAccessKey)
	for i := 0; t.Context().Err() == nil; i++ { // until it is killed
		administer(t, s, fmt.Sprint("account-", os.Getpid(), "-", i), i)
	}
}

// addSurvivors creates the account of the clients.
func addSurvivors(t *testing.T, s *s3test.Server) fakedriver.Credentials {
	t.Helper()
	all := func(bucket string) fakedriver.Grant {
		return fakedriver.Grant{Bucket: bucket, ObjectData: fakedriver.ReadWrite, ObjectMetadata: fakedriver.ReadWrite}
	}
	return s.Account(t, "survivors", all("photos"), all("albums"))
}

// administer creates an account, rotates it or deletes it, and does the same with a bucket.
func administer(t *testing.T, s *s3test.Server, id string, i int) {
	t.Helper()
	harness.Tell(t, "changing "+id)
	c := s.Account(t, id, s3test.ReadWrite("photos"))
	harness.Tell(t, "account "+id+" "+c.SecretAccessKey)
	s.Bucket(t, id)
	harness.Tell(t, "changing "+id)
	if i%2 == 0 {
		s.Revoke(t, id)
		harness.Tell(t, "gone "+id)
	} else {
		c, err := s.RotateAccount(t.Context(), s3test.Owner, id)
		if err != nil {
			t.Fatal(err)
		}
		harness.Tell(t, "account "+id+" "+c.SecretAccessKey)
	}
	if err := s.DeleteBucket(t.Context(), s3test.Owner, id); err != nil {
		t.Fatal(err)
	}
}
