package protocol_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/test/s3test"
)

func bucketNames(a *s3test.App, change func(*s3.ListBucketsInput)) (all []string) {
	a.Helper()
	in := &s3.ListBucketsInput{}
	change(in)
	pages := s3.NewListBucketsPaginator(a.S3, in)
	for pages.HasMorePages() {
		page, err := pages.NextPage(a.Context())
		a.Must(err)
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
	s := s3test.Serve(t, s3test.Options{})
	var granted []fakedriver.Grant
	for i := range 6 {
		name := fmt.Sprint("bucket-", i)
		s.Bucket(t, name, func(b *fakedriver.BucketSpec) { b.Region = map[int]string{3: "us-west-2"}[i] })
		if i%3 != 2 {
			granted = append(granted, fakedriver.Grant{Bucket: name}) // even without a permission
		}
	}
	s.Bucket(t, "another")
	a := &s3test.App{T: t, Store: s, S3: s.Client(t, s.Account(t, "app", granted...))}
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
		"Prefix":  {"Some.", func(in *s3.ListBucketsInput) { in.Prefix = new("bucket-1") }, all[1:2]},
		"Foreign": {"A prefix shows nothing more.", func(in *s3.ListBucketsInput) { in.Prefix = new("a") }, nil},
		"Region":  {"Some.", func(in *s3.ListBucketsInput) { in.BucketRegion = new("us-west-2") }, all[2:3]},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, bucketNames(a.In(t), tc.change)); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
	for name, in := range map[string]s3.ListBucketsInput{
		"no buckets": {MaxBuckets: aws.Int32(0)}, "a token that is none": {ContinuationToken: new("?")},
	} {
		_, err := a.S3.ListBuckets(t.Context(), &in)
		a.Rejected(name, err, "InvalidArgument")
	}
}

// TestHeadBucket: clients learn the region, and need no permission for it.
func TestHeadBucket(t *testing.T) {
	a := s3test.NewApp(t, func(b *fakedriver.BucketSpec) { b.Region = fakedriver.DefaultRegion })
	got := a.Raw(http.MethodHead, "", "")
	if got.Status != http.StatusOK || got.Header.Get("X-Amz-Bucket-Region") != fakedriver.DefaultRegion || got.Body != "" {
		t.Errorf("HEAD answered %d, %v: %s", got.Status, got.Header, got.Body)
	}
}

// TestCreateTwice: creating a bucket that exists returns its owner.
func TestCreateTwice(t *testing.T) {
	a := s3test.NewApp(t)
	create := func(c *s3.Client) error {
		_, err := c.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: a.Bucket})
		return err
	}
	a.Rejected("an application with the bucket", create(a.S3), "BucketAlreadyOwnedByYou")
	a.Store.Bucket(t, "other")
	other := a.Store.Client(t, a.Store.Account(t, "other", s3test.ReadWrite("other")))
	a.Rejected("an application with another", create(other), "AccessDenied")
	a.Rejected("an administrator who is not its owner", create(a.Store.Client(t, a.Store.Admin(t))), "BucketAlreadyExists")
	first := s3test.NewApp(t, s3test.InRegion("us-east-1"))
	_, err := first.S3.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: a.Bucket}, func(o *s3.Options) { o.Region = "us-east-1" })
	a.Rejected("an application with the bucket in us-east-1", err, "")
}
