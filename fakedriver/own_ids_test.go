package fakedriver_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	cosiv1alpha1 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha1"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

// TestOwnIDs creates a bucket twice, uses it by the second ID, and deletes it by the first.
func TestOwnIDs(t *testing.T) {
	tests := map[fakedriver.IDs][]string{
		fakedriver.IDsNames:    {"photos", "photos"},
		fakedriver.IDsOwn:      {"id:own/photos", "id:own/photos"},
		fakedriver.IDsChanging: {"photos", "id:own/photos"},
	}
	for ids, want := range tests {
		t.Run(string(ids), func(t *testing.T) {
			s := newStore(t)
			conn := connect(t, fakedriver.Options{Dialect: dialects.V1alpha1, IDs: ids, Backend: s})
			client := cosiv1alpha1.NewProvisionerClient(conn)
			var got []string
			for range want {
				created, err := client.DriverCreateBucket(t.Context(), &cosiv1alpha1.DriverCreateBucketRequest{Name: "photos"})
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, created.GetBucketId())
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("IDs (-want +got):\n%s", diff)
			}
			granted, err := client.DriverGrantBucketAccess(t.Context(), &cosiv1alpha1.DriverGrantBucketAccessRequest{
				BucketId: got[1], Name: "app", AuthenticationType: cosiv1alpha1.AuthenticationType_Key,
			})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := client.DriverRevokeBucketAccess(t.Context(), &cosiv1alpha1.DriverRevokeBucketAccessRequest{
				BucketId: got[0], AccountId: granted.GetAccountId(),
			}); err != nil {
				t.Fatal(err)
			}
			if _, err := client.DriverDeleteBucket(t.Context(), &cosiv1alpha1.DriverDeleteBucketRequest{BucketId: got[0]}); err != nil {
				t.Fatal(err)
			}
			left, err := s.Buckets(t.Context())
			if err != nil || len(left) > 0 {
				t.Errorf("left in the backend: %v, error %v", left, err)
			}
		})
	}
}

func TestInvalidIDs(t *testing.T) {
	for name, options := range map[string]fakedriver.Options{
		"Unknown": {Dialect: dialects.V1alpha1, IDs: "random"},
		"KEP":     {IDs: fakedriver.IDsOwn},
	} {
		t.Run(name, func(t *testing.T) {
			options.Backend = newStore(t)
			if _, err := fakedriver.New(options); err == nil {
				t.Error("New() = nil, want an error")
			}
		})
	}
}
