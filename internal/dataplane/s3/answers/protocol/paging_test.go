package protocol_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/test/s3test"
)

// turner returns the next page of a listing, and whether more follow. A key is repeated for each
// version or upload.
type turner func() (keys, groups []string, more bool)

var listings = map[string]func(a *s3test.App, prefix, delimiter string, size int32) turner{
	"ListObjects": func(a *s3test.App, prefix, delimiter string, size int32) turner {
		in := &s3.ListObjectsInput{Bucket: a.Bucket, Prefix: &prefix, Delimiter: s3test.Optional(delimiter), MaxKeys: &size}
		return func() (keys, groups []string, more bool) {
			out, err := a.S3.ListObjects(a.Context(), in)
			a.Must(err)
			for _, o := range out.Contents {
				keys = append(keys, *o.Key)
			}
			in.Marker = out.NextMarker
			if *out.IsTruncated && out.NextMarker == nil { // S3 sends it only with a delimiter
				in.Marker = &keys[len(keys)-1]
			}
			return keys, groupsOf(out.CommonPrefixes), *out.IsTruncated
		}
	},
	"ListObjectsV2": func(a *s3test.App, prefix, delimiter string, size int32) turner {
		in := &s3.ListObjectsV2Input{Bucket: a.Bucket, Prefix: &prefix, Delimiter: s3test.Optional(delimiter), MaxKeys: &size}
		return func() (keys, groups []string, more bool) {
			out, err := a.S3.ListObjectsV2(a.Context(), in)
			a.Must(err)
			for _, o := range out.Contents {
				keys = append(keys, *o.Key)
			}
			groups = groupsOf(out.CommonPrefixes)
			if int(*out.KeyCount) != len(keys)+len(groups) {
				a.Errorf("KeyCount is %d for %d keys and %d prefixes", *out.KeyCount, len(keys), len(groups))
			}
			in.ContinuationToken = out.NextContinuationToken
			return keys, groups, *out.IsTruncated
		}
	},
	"ListObjectVersions": func(a *s3test.App, prefix, delimiter string, size int32) turner {
		in := &s3.ListObjectVersionsInput{Bucket: a.Bucket, Prefix: &prefix, Delimiter: s3test.Optional(delimiter), MaxKeys: &size}
		return func() (keys, groups []string, more bool) {
			out, err := a.S3.ListObjectVersions(a.Context(), in)
			a.Must(err)
			for _, v := range out.Versions {
				keys = append(keys, *v.Key)
			}
			in.KeyMarker, in.VersionIdMarker = out.NextKeyMarker, out.NextVersionIdMarker
			return keys, groupsOf(out.CommonPrefixes), *out.IsTruncated
		}
	},
	"ListMultipartUploads": func(a *s3test.App, prefix, delimiter string, size int32) turner {
		in := &s3.ListMultipartUploadsInput{Bucket: a.Bucket, Prefix: &prefix, Delimiter: s3test.Optional(delimiter), MaxUploads: &size}
		return func() (keys, groups []string, more bool) {
			out, err := a.S3.ListMultipartUploads(a.Context(), in)
			a.Must(err)
			for _, u := range out.Uploads {
				keys = append(keys, *u.Key)
			}
			in.KeyMarker, in.UploadIdMarker = out.NextKeyMarker, out.NextUploadIdMarker
			return keys, groupsOf(out.CommonPrefixes), *out.IsTruncated
		}
	},
}

func groupsOf(prefixes []types.CommonPrefix) (all []string) {
	for _, p := range prefixes {
		all = append(all, *p.Prefix)
	}
	return all
}

// walkPages returns the entries of all pages in their order.
func walkPages(a *s3test.App, next turner, size int32) (all []string) {
	a.Helper()
	for more := true; more; {
		var keys, groups []string
		keys, groups, more = next()
		entries := slices.Sorted(slices.Values(slices.Concat(keys, groups)))
		if len(entries) > int(size) || (more && len(entries) < int(size)) || !slices.IsSorted(keys) || !slices.IsSorted(groups) {
			a.Fatalf("a page of %d, with more to come: %t, has keys %q and prefixes %q", size, more, keys, groups)
		}
		all = append(all, entries...)
	}
	return all
}

// naive is the expected listing of keys.
func naive(keys []string, prefix, delimiter string) (all []string) {
	for _, key := range slices.Sorted(slices.Values(keys)) {
		rest, ok := strings.CutPrefix(key, prefix)
		if !ok {
			continue
		}
		if before, _, found := strings.Cut(rest, delimiter); found && delimiter != "" {
			if group := prefix + before + delimiter; !slices.Contains(all, group) {
				all = append(all, group)
			}
			continue
		}
		all = append(all, key)
	}
	return all
}

// TestPagesAddUp: for any keys, prefix, delimiter and page size, pages neither repeat nor lose
// entries.
func TestPagesAddUp(t *testing.T) {
	seed := rand.Uint64() //nolint:gosec // a test that can be repeated
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // a test that can be repeated
	a := s3test.NewApp(t, s3test.Versioned)
	var put, uploads []string
	for range 12 {
		put, uploads = growBucket(a, random, put, uploads)
		prefix, delimiter := pick(random, "", "", "a", "a/", "/", "ü"), pick(random, "", "/", "/", "b", "//", "a/")
		for name, list := range listings {
			want := naive(put, prefix, delimiter)
			switch name {
			case "ListMultipartUploads":
				want = naive(uploads, prefix, delimiter)
			case "ListObjects", "ListObjectsV2":
				want = naive(slices.Compact(slices.Sorted(slices.Values(put))), prefix, delimiter)
			}
			for size := int32(1); size <= 7; size++ {
				if diff := cmp.Diff(want, walkPages(a, list(a, prefix, delimiter, size), size)); diff != "" {
					t.Fatalf("%s with prefix %q, delimiter %q and pages of %d: -want, +got:\n%s", name, prefix, delimiter, size, diff)
				}
			}
		}
	}
}

// growBucket adds versions of a random key, and an upload of another.
func growBucket(a *s3test.App, random *rand.Rand, put, uploads []string) (morePut, moreUploads []string) {
	a.Helper()
	key := func() string {
		parts := make([]string, 1+random.IntN(4))
		for i := range parts {
			parts[i] = pick(random, "a", "b", "/", "//", "ü", "~", " ", "+", "%", "\U0001F600")
		}
		return strings.Join(parts, "")
	}
	added := key()
	for i := range 1 + random.IntN(3) {
		a.Put(added, fmt.Sprint(i))
		put = append(put, added)
	}
	upload := key()
	_, err := a.S3.CreateMultipartUpload(a.Context(), &s3.CreateMultipartUploadInput{Bucket: a.Bucket, Key: aws.String(upload)})
	a.Must(err)
	return put, append(uploads, upload)
}

func pick(random *rand.Rand, from ...string) string { return from[random.IntN(len(from))] }
