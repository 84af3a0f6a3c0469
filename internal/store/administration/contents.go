package administration

import (
	"context"

	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

// Contents lists a part of a bucket.
type Contents struct {
	// Keys are the keys of objects, and Uploads the keys of unfinished uploads.
	Keys, Uploads []string
	// Truncated means that the bucket contains more.
	Truncated bool
}

// Damaged returns the contents that were damaged when the store was opened, with the names of their
// buckets, and that have not been deleted since.
func (a *Administrator) Damaged() []objects.Damage {
	names := map[string]string{}
	for _, b := range a.options.Registry.Buckets() {
		names[b.UID] = b.Name
	}
	all := a.options.Contents.Damaged()
	for i := range all {
		all[i].Bucket = names[all[i].Bucket]
	}
	return all
}

// EmptyBucket deletes the contents of a bucket, without a check of permissions. The error is of
// kind ErrNotExist for an unknown bucket.
func (a *Administrator) EmptyBucket(ctx context.Context, bucket string) error {
	b, err := a.GetBucket(ctx, bucket)
	if err != nil {
		return err
	}
	held, err := a.options.Contents.Bucket(b.UID)
	if err != nil {
		return notExist("bucket", bucket)
	}
	return held.Empty()
}

// Contents lists the contents of a bucket, at most limit of each kind. The error is of kind
// ErrNotExist for an unknown bucket.
func (a *Administrator) Contents(ctx context.Context, bucket string, limit int) (Contents, error) {
	b, err := a.GetBucket(ctx, bucket)
	if err != nil {
		return Contents{}, err
	}
	held, err := a.options.Contents.Bucket(b.UID)
	if err != nil {
		return Contents{}, notExist("bucket", bucket)
	}
	page, uploads := held.List(objects.Query{Max: limit}), held.ListUploads(objects.Query{Max: limit, Appended: true})
	found := Contents{Truncated: page.IsTruncated || uploads.IsTruncated}
	for _, v := range page.Versions {
		found.Keys = append(found.Keys, v.Key)
	}
	for _, u := range uploads.Uploads {
		found.Uploads = append(found.Uploads, u.Key)
	}
	return found, nil
}
