package administration_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/test/s3test"
)

// grantedBuckets is a store with two buckets, and an account with access to the first.
func grantedBuckets(t *testing.T, options s3test.Options) *s3test.Server {
	t.Helper()
	s := s3test.Unserved(t, options)
	for name, most := range map[string]int{"photos": 0, "archive": 0, "full": 1} {
		if _, err := s.CreateBucket(t.Context(), fakedriver.BucketSpec{Name: name, Owner: "me", MaxAccounts: most}); err != nil {
			t.Fatal(err)
		}
	}
	for id, bucket := range map[string]string{"ba-1": "photos", "ba-2": "full"} {
		spec := fakedriver.AccountSpec{ID: id, Owner: "me", Grants: []fakedriver.Grant{s3test.ReadWrite(bucket)}}
		if _, err := s.PutAccount(t.Context(), spec); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

//nolint:lll // one case a line
func TestSetGrant(t *testing.T) {
	tests := map[string]struct {
		reason, account string
		grant           fakedriver.Grant
		want            []fakedriver.Grant // of ba-1
		wantErr         error
	}{
		"Less": {
			reason: "Instead of what was granted.", account: "ba-1", grant: fakedriver.Grant{Bucket: "photos", ObjectData: fakedriver.ReadOnly},
			want: []fakedriver.Grant{{Bucket: "photos", ObjectData: fakedriver.ReadOnly}},
		},
		"Another": {
			reason: "Beside what was granted.", account: "ba-1", grant: fakedriver.Grant{Bucket: "archive", BucketMetadata: fakedriver.ReadOnly},
			want: []fakedriver.Grant{{Bucket: "archive", BucketMetadata: fakedriver.ReadOnly}, s3test.ReadWrite("photos")},
		},
		"Nothing":   {reason: "It is taken away.", account: "ba-1", grant: fakedriver.Grant{Bucket: "photos"}},
		"NoBucket":  {reason: "Of what?", account: "ba-1", grant: s3test.ReadWrite("none"), want: []fakedriver.Grant{s3test.ReadWrite("photos")}, wantErr: fakedriver.ErrNotExist},
		"NoAccount": {reason: "To whom?", account: "ba-3", grant: s3test.ReadWrite("photos"), want: []fakedriver.Grant{s3test.ReadWrite("photos")}, wantErr: fakedriver.ErrNotExist},
		"Limit":     {reason: "The bucket has enough.", account: "ba-1", grant: s3test.ReadWrite("full"), want: []fakedriver.Grant{s3test.ReadWrite("photos")}, wantErr: fakedriver.ErrLimit},
		"Mode": {
			reason: "Not a mode.", account: "ba-1", grant: fakedriver.Grant{Bucket: "photos", ObjectData: "Append"},
			want: []fakedriver.Grant{s3test.ReadWrite("photos")}, wantErr: fakedriver.ErrInvalid,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s := grantedBuckets(t, s3test.Options{})
			if err := s.SetGrant(t.Context(), tc.account, tc.grant); !errors.Is(err, tc.wantErr) {
				t.Errorf("%s\nSetGrant() = %v, want %v", tc.reason, err, tc.wantErr)
			}
			all, err := s.Accounts(t.Context())
			if diff := cmp.Diff(tc.want, all[0].Grants, cmpopts.EquateEmpty()); err != nil || diff != "" {
				t.Errorf("%s\nAccounts(): %v; -want, +got:\n%s", tc.reason, err, diff)
			}
		})
	}
}

// TestSetGrantIsKept: a grant applies to the same key, and after a restart, too.
func TestSetGrantIsKept(t *testing.T) {
	options := s3test.Options{Dir: t.TempDir()}
	s := grantedBuckets(t, options)
	if err := s.SetGrant(t.Context(), "ba-1", fakedriver.Grant{Bucket: "photos", ObjectMetadata: fakedriver.ReadOnly}); err != nil {
		t.Fatal(err)
	}
	before, err := s.Accounts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	after, err := s3test.Unserved(t, options).Accounts(t.Context())
	if diff := cmp.Diff(before, after); err != nil || diff != "" {
		t.Errorf("Accounts() after a restart: %v; -before, +after:\n%s", err, diff)
	}
}

// TestSetGrantHolds uses the bucket with the account's earlier key.
func TestSetGrantHolds(t *testing.T) {
	s, c := s3test.Fixture(t, s3test.Options{})
	s3test.Put(t, c, "k", "content")
	all, err := s.Accounts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.SetGrant(t.Context(), all[0].ID, fakedriver.Grant{Bucket: "photos", ObjectData: fakedriver.ReadOnly}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"put", "copy", "multipart", "delete"}, s3test.Denied(t, c)); diff != "" {
		t.Errorf("denied; -want, +got:\n%s", diff)
	}
	if err := s.SetGrant(t.Context(), all[0].ID, fakedriver.Grant{Bucket: "photos"}); err != nil {
		t.Fatal(err)
	}
	if got := len(s3test.Denied(t, c)); got < 8 {
		t.Errorf("%d operations are denied to an account that has no access any more", got)
	}
}
