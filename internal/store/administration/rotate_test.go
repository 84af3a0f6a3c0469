package administration_test

import (
	"errors"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/test/s3test"
)

func rotateKey(t *testing.T, s *s3test.Server, id string) fakedriver.Credentials {
	t.Helper()
	c, err := s.RotateAccount(t.Context(), s3test.Owner, id)
	if err != nil {
		t.Fatalf("RotateAccount(%q): %v", id, err)
	}
	return c
}

func TestRotateAccount(t *testing.T) {
	dir := t.TempDir()
	s := s3test.Serve(t, s3test.Options{Dir: dir})
	s.Bucket(t, "photos")
	first := s.Account(t, "app", s3test.ReadWrite("photos"))
	list := func(c fakedriver.Credentials) string {
		_, err := s.Client(t, c).ListObjectsV2(t.Context(), &s3.ListObjectsV2Input{Bucket: new("photos")})
		return s3test.Failure(t, err)
	}
	second := rotateKey(t, s, "app")
	third := rotateKey(t, s, "app")
	for name, key := range map[string]fakedriver.Credentials{"first": first, "second": second} {
		if got := list(key); got != "InvalidAccessKeyId" {
			t.Errorf("listing with the %s key: %q", name, got)
		}
		if key.AccessKeyID == third.AccessKeyID || key.SecretAccessKey == third.SecretAccessKey {
			t.Errorf("the third key has something of the %s", name)
		}
	}
	if got := list(third); got != "" {
		t.Errorf("listing with the last key: %q", got)
	}
	if got := s.Account(t, "app", s3test.ReadWrite("photos")); got != third {
		t.Error("PutAccount() does not return the last key")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	again := s3test.Serve(t, s3test.Options{Dir: dir})
	if got := again.Account(t, "app", s3test.ReadWrite("photos")); got != third {
		t.Error("after a restart, the key is not the last one")
	}
	if fourth := rotateKey(t, again, "app"); fourth.AccessKeyID == third.AccessKeyID || fourth.AccessKeyID == first.AccessKeyID {
		t.Error("after a restart, a rotated key has the ID of an earlier one")
	}
}

func TestRotateAccountRejected(t *testing.T) {
	s := s3test.Unserved(t, s3test.Options{})
	for _, spec := range []fakedriver.AccountSpec{{ID: "app", Owner: "me"}, {ID: "pod", Owner: "me", ServiceAccount: "builder"}} {
		if c, err := s.PutAccount(t.Context(), spec); err != nil || (c == fakedriver.Credentials{}) != (spec.ServiceAccount != "") {
			t.Fatalf("PutAccount(%q) = %v, %v", spec.ID, c, err)
		}
	}
	for name, tc := range map[string]struct {
		reason    string
		owner, id string
		want      error
	}{
		"Missing":        {reason: "There is nothing to rotate.", owner: "me", id: "none", want: fakedriver.ErrNotExist},
		"Another":        {reason: "Its owner decides.", owner: "you", id: "app", want: fakedriver.ErrConflict},
		"ServiceAccount": {reason: "It has no key.", owner: "me", id: "pod", want: fakedriver.ErrInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := s.RotateAccount(t.Context(), tc.owner, tc.id); !errors.Is(err, tc.want) {
				t.Errorf("%s\nRotateAccount() = %v, want %v", tc.reason, err, tc.want)
			}
		})
	}
}

// TestSetAccountKey gives an account a key of the caller's choice, which survives a restart, and revokes the one before.
func TestSetAccountKey(t *testing.T) {
	dir := t.TempDir()
	s := s3test.Serve(t, s3test.Options{Dir: dir})
	s.Bucket(t, "photos")
	first, other := s.Account(t, "app", s3test.ReadWrite("photos")), s.Account(t, "other", s3test.ReadWrite("photos"))
	chosen := fakedriver.Credentials{AccessKeyID: "test", SecretAccessKey: "testtest"}
	for range 2 { // again, it changes nothing
		if err := s.SetAccountKey(t.Context(), s3test.Owner, "app", chosen); err != nil {
			t.Fatal(err)
		}
	}
	list := func(c fakedriver.Credentials) string {
		_, err := s.Client(t, c).ListObjectsV2(t.Context(), &s3.ListObjectsV2Input{Bucket: new("photos")})
		return s3test.Failure(t, err)
	}
	if got := list(chosen); got != "" {
		t.Errorf("listing with the chosen key: %q", got)
	}
	if got := list(first); got != "InvalidAccessKeyId" {
		t.Errorf("listing with the key before: %q", got)
	}
	for name, tc := range map[string]struct {
		owner, id string
		key       fakedriver.Credentials
		want      error
	}{
		"Invalid":  {s3test.Owner, "app", fakedriver.Credentials{AccessKeyID: "a:b", SecretAccessKey: "testtest"}, fakedriver.ErrInvalid},
		"Missing":  {s3test.Owner, "none", chosen, fakedriver.ErrNotExist},
		"Owner":    {"stranger", "app", chosen, fakedriver.ErrConflict},
		"OthersID": {s3test.Owner, "app", other, fakedriver.ErrConflict},
	} {
		if err := s.SetAccountKey(t.Context(), tc.owner, tc.id, tc.key); !errors.Is(err, tc.want) {
			t.Errorf("%s: SetAccountKey() = %v, want %v", name, err, tc.want)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if got := s3test.Serve(t, s3test.Options{Dir: dir}).Account(t, "app", s3test.ReadWrite("photos")); got != chosen {
		t.Error("after a restart, the key is not the chosen one")
	}
}
