package store_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/fakedriver/store"
)

const killDir = "STORE_TEST_KILL_DIR"

// TestKillChild is the process that TestKill kills. It serves a store, and prints
// what it does with accounts meanwhile.
func TestKillChild(t *testing.T) {
	dir := os.Getenv(killDir)
	if dir == "" {
		t.Skip("only of use to TestKill")
	}
	s := serve(t, store.Options{Dir: dir})
	s.bucket(t, "photos")
	s.bucket(t, "albums", func(b *fakedriver.BucketSpec) { b.Versioning = true })
	app := s.survivors(t)
	tell(t, s.url+" "+app.AccessKeyID+" "+app.SecretAccessKey)
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

// administer makes an account, rotates it or deletes it, and the like with a bucket.
func (s *server) administer(t *testing.T, id string, i int) {
	t.Helper()
	tell(t, "changing "+id)
	c := s.account(t, id, readWrite("photos"))
	tell(t, "account "+id+" "+c.SecretAccessKey)
	s.bucket(t, id)
	tell(t, "changing "+id)
	if i%2 == 0 {
		s.revoke(t, id)
		tell(t, "gone "+id)
	} else {
		c, err := s.RotateAccount(t.Context(), owner, id)
		if err != nil {
			t.Fatal(err)
		}
		tell(t, "account "+id+" "+c.SecretAccessKey)
	}
	if err := s.DeleteBucket(t.Context(), owner, id); err != nil {
		t.Fatal(err)
	}
}

// tell prints a line in one piece: it is read even if the process dies.
func tell(t *testing.T, line string) {
	t.Helper()
	if _, err := os.Stdout.WriteString(line + "\n"); err != nil {
		t.Fatal(err)
	}
}
