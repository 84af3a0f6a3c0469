package gcs

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/store"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

// unfinished is the extension of incomplete files of an earlier version.
const unfinished = ".part"

// Migrate moves the objects of a directory into the store, and removes the directory. An earlier
// version of cosi-emu wrote it: DIR/BUCKET/DIGEST is an object, with its attributes in the first
// line, then the content. Migrate does nothing without such a directory. After an error it can be
// called again.
func Migrate(ctx context.Context, to *store.Store, dir string) error {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	buckets, err := to.Buckets(ctx)
	if err != nil {
		return err
	}
	for _, b := range buckets {
		if b.Protocol != fakedriver.ProtocolGCS {
			continue
		}
		if err := migrateBucket(to, b, filepath.Join(dir, b.Name)); err != nil {
			return fmt.Errorf("move the objects of bucket %q, which an earlier version of cosi-emu has stored in %s: %w", b.Name, dir, err)
		}
	}
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("remove %s, whose objects are in the store now: %w", dir, err)
	}
	return nil
}

func migrateBucket(to *store.Store, b fakedriver.Bucket, dir string) error {
	bucket, err := to.Objects().Bucket(b.UID)
	if err != nil {
		return err
	}
	if err := bucket.UseGenerations(); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, entry := range entries {
		if filepath.Ext(entry.Name()) == unfinished {
			continue
		}
		if err := migrateObject(to, bucket, filepath.Join(dir, entry.Name())); err != nil {
			return err
		}
	}
	return nil
}

func migrateObject(to *store.Store, bucket *objects.Bucket, path string) (err error) {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	in := bufio.NewReader(file)
	header, err := in.ReadBytes('\n')
	var a attributes
	if decodeErr := json.Unmarshal(header, &a); err != nil || decodeErr != nil || a.Generation <= 0 || a.Metageneration <= 0 {
		return damaged(path, cmp.Or(decodeErr, err))
	}
	content, computed, err := keep(to.Blobs(), in)
	if err != nil {
		return err
	}
	defer content.Release()
	if content.Size() != a.Size || computed.crc32c.String() != a.CRC32C {
		return damaged(path, io.ErrUnexpectedEOF)
	}
	d, err := a.draft(content, computed)
	if err != nil {
		return err
	}
	return bucket.Import(a.Name, d, a.Generation, a.Metageneration, a.TimeCreated)
}

func damaged(path string, err error) error {
	return fmt.Errorf("%s is damaged (%w); remove it to do without the object", path, cmp.Or(err, io.ErrUnexpectedEOF))
}
