package store

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/store/authorization"
	"github.com/cosi-emu/cosi-emu/internal/store/blobstore"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
	"github.com/cosi-emu/cosi-emu/internal/store/persistence"
)

// Image is the content of a store at one moment: buckets, objects, unfinished uploads, and accounts
// with their keys.
type Image struct {
	buckets  []fakedriver.Bucket
	accounts []*authorization.Principal
	contents *objects.Image
}

// Freeze waits for the running changes, and returns the content of the store. Later changes wait
// until thaw is called; reads continue. The caller must call thaw once, and Release the image. As
// in Options.Dir, sessions of STS are not included.
func (s *Store) Freeze(ctx context.Context) (image *Image, thaw func(), err error) {
	thawAdministrator, err := s.Administrator.Freeze(ctx)
	if err != nil {
		return nil, nil, err
	}
	contents, thawObjects := s.contents.Freeze()
	image = &Image{buckets: s.registry.Buckets(), contents: contents}
	for _, account := range s.registry.Accounts() {
		p := s.registry.Principal(account.ID)
		image.accounts = append(image.accounts, &authorization.Principal{
			Account: account, Secret: p.Secret, Reach: maps.Clone(p.Reach),
		})
	}
	return image, func() { thawObjects(); thawAdministrator() }, nil
}

// Buckets returns the buckets, sorted by name.
func (i *Image) Buckets() []fakedriver.Bucket { return i.buckets }

// Accounts returns the number of the accounts.
func (i *Image) Accounts() int { return len(i.accounts) }

// Size returns the number of the versions of S3 objects, and of their bytes.
func (i *Image) Size() (versions int, bytes int64) { return i.contents.Size() }

// Release drops the references of the image. It must be called once.
func (i *Image) Release() { i.contents.Release() }

// Write writes the image to an empty directory, for Options.Dir. For damaged contents, the error is
// of kind blobstore.ErrDamaged, and names the objects: a copy without them would hide the loss.
func (i *Image) Write(dir string) (err error) {
	blobs, err := persistence.Open(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, blobs.Close()) }()
	if err := blobs.Sweep(); err != nil { // the directory is empty
		return err
	}
	if err := i.contents.Write(blobs); err != nil {
		return i.explain(err)
	}
	records := persistence.New(blobs)
	for _, b := range i.buckets {
		change, err := records.BucketChange(b)
		if err == nil {
			err = blobs.Commit(blobstore.Batch{Changes: []blobstore.Change{change}})
		}
		if err != nil {
			return fmt.Errorf("copy bucket %q: %w", b.Name, err)
		}
	}
	for _, p := range i.accounts {
		if err := records.PutAccount(p); err != nil {
			return fmt.Errorf("copy account %q: %w", p.Account.ID, err)
		}
	}
	return nil
}

// explain adds the names of buckets, and advice, to an error about damaged contents.
func (i *Image) explain(err error) error {
	found, ok := errors.AsType[*objects.DamageError](err)
	if !ok {
		return err
	}
	names := map[string]string{}
	for _, b := range i.buckets {
		names[b.UID] = b.Name
	}
	for n := range found.Damaged {
		found.Damaged[n].Bucket = names[found.Damaged[n].Bucket]
	}
	return fmt.Errorf("contents cannot be copied, because they are damaged on the disk: %w. "+
		"Write the objects again or delete these versions and uploads, or restore the files while the store is stopped", found)
}
