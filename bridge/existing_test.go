package bridge_test

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/cosi-emu/cosi-emu/bridge"
	cosiv1alpha1 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha1"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// allowed is the pattern of v1alpha2's IDs.
var allowed = regexp.MustCompile(`^[a-zA-Z0-9/._-]+$`)

func TestEncodeExisting(t *testing.T) {
	for name, tc := range map[string]struct{ id, name, want string }{
		"Plain":         {"photos", "photos", "photos"},
		"PlainChars":    {"a/b_c.d-E9", "a/b_c.d-E9", "a/b_c.d-E9"},
		"ARN":           {"arn:aws:s3:::photos", "arn:aws:s3:::photos", "bridge-id/arn_3Aaws_3As3_3A_3A_3Aphotos"},
		"OtherName":     {"photos-id", "photos", "bridge-id/photos-id/photos"},
		"OtherNameARN":  {"arn:x/y_z", "bucket-1", "bridge-id/arn_3Ax_2Fy_5Fz/bucket-1"},
		"UTF8":          {"é", "é", "bridge-id/_C3_A9"},
		"NotUTF8":       {"\x00\xff", "\x00\xff", "bridge-id/_00_FF"},
		"JSON":          {`{"b":1}`, `{"b":1}`, "bridge-id/_7B_22b_22_3A1_7D"},
		"LooksEncoded":  {"bridge-id/a", "bridge-id/a", "bridge-id/bridge-id_2Fa"},
		"PrefixWithout": {"bridge-id", "bridge-id", "bridge-id"},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, bridge.EncodeExisting(tc.id, tc.name)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestDecodeExistingRejects(t *testing.T) {
	for name, tc := range map[string]struct{ encoded, says string }{
		"Empty":       {"bridge-id/", "is empty"},
		"EmptyName":   {"bridge-id/a/", "is empty"},
		"LowerCase":   {"bridge-id/a_3ab", "upper case"},
		"Short":       {"bridge-id/a_3", "nor '_' and two"},
		"Raw":         {"bridge-id/a:b", "nor '_' and two"},
		"Needless":    {"bridge-id/a_62/c", "whose encoding is bridge-id/ab/c"},
		"PlainID":     {"bridge-id/photos", "whose encoding is photos"},
		"SamePair":    {"bridge-id/a_3A/a_3A", "whose encoding is bridge-id/a_3A"},
		"ThreeOfThem": {"bridge-id/a/b/c", "nor '_' and two"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, _, err := bridge.DecodeExisting(tc.encoded); err == nil || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("error %v, want one with %q", err, tc.says)
			}
		})
	}
}

func FuzzEncodeExisting(f *testing.F) {
	for _, seed := range []string{"photos", "a:b", "bridge-id/a", "_", "\xff", "a/b"} {
		f.Add(seed, seed)
		f.Add(seed, "photos")
	}
	f.Fuzz(func(t *testing.T, id, name string) {
		if id == "" || name == "" {
			t.Skip("there are no such buckets")
		}
		encoded := bridge.EncodeExisting(id, name)
		if !allowed.MatchString(encoded) {
			t.Errorf("v1alpha2 rejects %q", encoded)
		}
		gotID, gotName, err := bridge.DecodeExisting(encoded)
		if gotID != id || gotName != name || err != nil {
			t.Errorf("%q decodes to %q, %q, %v, want %q, %q", encoded, gotID, gotName, err, id, name)
		}
	})
}

func FuzzDecodeExisting(f *testing.F) {
	f.Add("bridge-id/a_3A/b")
	f.Add("photos")
	f.Fuzz(func(t *testing.T, encoded string) {
		id, name, err := bridge.DecodeExisting(encoded)
		if err != nil || !allowed.MatchString(encoded) {
			return
		}
		if again := bridge.EncodeExisting(id, name); again != encoded {
			t.Errorf("%q decodes to %q, %q, which is encoded as %q", encoded, id, name, again)
		}
	})
}

// TestExisting: the driver gets its own ID of a bucket that exists already, and
// applications get the bucket's name.
func TestExisting(t *testing.T) {
	for name, tc := range map[string]struct{ id, name string }{
		"Plain":     {"photos", "photos"},
		"ARN":       {"arn:old:photos", "arn:old:photos"},
		"OtherName": {"arn:old:photos", "photos"},
	} {
		t.Run(name, func(t *testing.T) {
			driver := &oldDriver{credentials: s3Credentials()}
			b := newBridge(t, bridge.Options{DialOptions: driver.dial(t), AssumeExisting: true})
			driver.buckets[tc.id] = tc.name
			encoded := bridge.EncodeExisting(tc.id, tc.name)
			found, err := b.DriverGetBucket(t.Context(), &cosiv1alpha2.DriverGetBucketRequest{BucketId: encoded})
			if err != nil {
				t.Fatal(err)
			}
			granted, err := b.DriverGrantBucketAccess(t.Context(), grantRequest(func(r *cosiv1alpha2.DriverGrantBucketAccessRequest) {
				r.Buckets[0].BucketId = encoded
			}))
			if err != nil {
				t.Fatal(err)
			}
			revoke := &cosiv1alpha2.DriverRevokeBucketAccessRequest{
				AccountId: "ba-1",
				Buckets:   []*cosiv1alpha2.DriverRevokeBucketAccessRequest_AccessedBucket{{BucketId: encoded}},
			}
			if _, err := b.DriverRevokeBucketAccess(t.Context(), revoke); err != nil {
				t.Fatal(err)
			}
			if _, err := b.DriverDeleteBucket(t.Context(), &cosiv1alpha2.DriverDeleteBucketRequest{BucketId: encoded}); err != nil {
				t.Fatal(err)
			}
			wantRequests := []any{
				&cosiv1alpha1.DriverGrantBucketAccessRequest{
					BucketId: tc.id, Name: "ba-1", AuthenticationType: cosiv1alpha1.AuthenticationType_Key,
					Parameters: map[string]string{"tier": "gold"},
				},
				&cosiv1alpha1.DriverRevokeBucketAccessRequest{BucketId: tc.id, AccountId: "ba-1"},
				&cosiv1alpha1.DriverDeleteBucketRequest{BucketId: tc.id},
			}
			if diff := cmp.Diff(wantRequests, driver.requests, protocmp.Transform()); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
			got := []string{
				found.GetProtocols().GetS3().GetBucketId(), granted.GetBuckets()[0].GetBucketId(),
				granted.GetBuckets()[0].GetBucketInfo().GetS3().GetBucketId(),
			}
			if diff := cmp.Diff([]string{tc.name, encoded, tc.name}, got); diff != "" {
				t.Errorf("name of the bucket, ID of the grant, name in the grant (-want +got):\n%s", diff)
			}
		})
	}
}

// TestExistingRejected: an ID that nothing encodes to does not reach the driver.
func TestExistingRejected(t *testing.T) {
	const bad, good = "bridge-id/a_3ab", "bridge-id/a_3Ab"
	for name, call := range map[string]func(context.Context, *bridge.Bridge) error{
		"Get": func(ctx context.Context, b *bridge.Bridge) error {
			_, err := b.DriverGetBucket(ctx, &cosiv1alpha2.DriverGetBucketRequest{BucketId: bad})
			return err
		},
		"Grant": func(ctx context.Context, b *bridge.Bridge) error {
			_, err := b.DriverGrantBucketAccess(ctx, grantRequest(func(r *cosiv1alpha2.DriverGrantBucketAccessRequest) {
				r.Buckets[0].BucketId = bad
			}))
			return err
		},
		"Delete": func(ctx context.Context, b *bridge.Bridge) error {
			_, err := b.DriverDeleteBucket(ctx, &cosiv1alpha2.DriverDeleteBucketRequest{BucketId: bad})
			return err
		},
		"Generate": func(ctx context.Context, b *bridge.Bridge) error {
			_, err := b.DriverGenerateBucketId(ctx, &cosiv1alpha2.DriverGenerateBucketIdRequest{Name: good})
			return err
		},
		"Create": func(ctx context.Context, b *bridge.Bridge) error {
			_, err := b.DriverCreateBucket(ctx, &cosiv1alpha2.DriverCreateBucketRequest{BucketId: good})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			driver := &oldDriver{credentials: s3Credentials()}
			b := newBridge(t, bridge.Options{DialOptions: driver.dial(t), AssumeExisting: true})
			if err := call(t.Context(), b); status.Code(err) != codes.InvalidArgument {
				t.Errorf("error %v, want %s", err, codes.InvalidArgument)
			}
			if len(driver.requests) > 0 {
				t.Errorf("the driver was asked: %v", driver.requests)
			}
		})
	}
}
