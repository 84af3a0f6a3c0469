package store_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/store"
)

func (a *app) buckets(change func(*s3.ListBucketsInput)) (all []string) {
	a.Helper()
	in := &s3.ListBucketsInput{}
	change(in)
	pages := s3.NewListBucketsPaginator(a.s3, in)
	for pages.HasMorePages() {
		page, err := pages.NextPage(a.Context())
		a.must(err)
		if len(page.Buckets) > int(aws.ToInt32(in.MaxBuckets)) && in.MaxBuckets != nil {
			a.Errorf("a page of %d has %d buckets", *in.MaxBuckets, len(page.Buckets))
		}
		for _, b := range page.Buckets {
			all = append(all, *b.Name+" "+*b.BucketRegion)
		}
	}
	return all
}

// TestListBuckets: an account sees only its granted buckets.
func TestListBuckets(t *testing.T) {
	s := serve(t, store.Options{})
	var granted []fakedriver.Grant
	for i := range 6 {
		name := fmt.Sprint("bucket-", i)
		s.bucket(t, name, func(b *fakedriver.BucketSpec) { b.Region = map[int]string{3: "us-west-2"}[i] })
		if i%3 != 2 {
			granted = append(granted, fakedriver.Grant{Bucket: name}) // even without a permission
		}
	}
	s.bucket(t, "another")
	a := &app{T: t, store: s, s3: s.client(t, s.account(t, "app", granted...))}
	central := " " + fakedriver.DefaultRegion
	all := []string{"bucket-0" + central, "bucket-1" + central, "bucket-3 us-west-2", "bucket-4" + central}
	tests := map[string]struct {
		reason string
		change func(*s3.ListBucketsInput)
		want   []string
	}{
		"All":     {"In the order of their names.", func(*s3.ListBucketsInput) {}, all},
		"One":     {"Pages of one.", func(in *s3.ListBucketsInput) { in.MaxBuckets = aws.Int32(1) }, all},
		"Three":   {"Pages of three.", func(in *s3.ListBucketsInput) { in.MaxBuckets = aws.Int32(3) }, all},
		"Prefix":  {"Some.", func(in *s3.ListBucketsInput) { in.Prefix = ptr("bucket-1") }, all[1:2]},
		"Foreign": {"A prefix shows nothing more.", func(in *s3.ListBucketsInput) { in.Prefix = ptr("a") }, nil},
		"Region":  {"Some.", func(in *s3.ListBucketsInput) { in.BucketRegion = ptr("us-west-2") }, all[2:3]},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, a.in(t).buckets(tc.change)); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
	for name, in := range map[string]s3.ListBucketsInput{
		"no buckets": {MaxBuckets: aws.Int32(0)}, "a token that is none": {ContinuationToken: ptr("?")},
	} {
		_, err := a.s3.ListBuckets(t.Context(), &in)
		a.rejected(name, err, "InvalidArgument")
	}
}

// TestHeadBucket: clients learn the region, and need no permission for it.
func TestHeadBucket(t *testing.T) {
	a := newApp(t, func(b *fakedriver.BucketSpec) { b.Region = fakedriver.DefaultRegion })
	got := a.raw(http.MethodHead, "", "")
	if got.status != http.StatusOK || got.header.Get("X-Amz-Bucket-Region") != fakedriver.DefaultRegion || got.body != "" {
		t.Errorf("HEAD answered %d, %v: %s", got.status, got.header, got.body)
	}
}

// TestCreateTwice: creating a bucket that exists returns its owner.
func TestCreateTwice(t *testing.T) {
	a := newApp(t)
	create := func(c *s3.Client) error {
		_, err := c.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: a.bucket})
		return err
	}
	a.rejected("an application with the bucket", create(a.s3), "BucketAlreadyOwnedByYou")
	a.store.bucket(t, "other")
	a.rejected("an application with another", create(a.store.client(t, a.store.account(t, "other", readWrite("other")))), "AccessDenied")
	a.rejected("an administrator who is not its owner", create(a.store.client(t, a.store.administrator(t))), "BucketAlreadyExists")
	first := newApp(t, inRegion("us-east-1"))
	_, err := first.s3.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: a.bucket}, func(o *s3.Options) { o.Region = "us-east-1" })
	a.rejected("an application with the bucket in us-east-1", err, "")
}
