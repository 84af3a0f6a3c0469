// Package initdir fills a new emulator from a manifest or a directory, before its first use:
//
//	DIR/*.yaml, *.yml, *.json  manifests, applied in the order of their names
//	DIR/buckets/BUCKET/KEY     buckets of the store and their objects; a key can have slashes
package initdir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/manifest"
)

const bucketsDir = "buckets"

// ignored are files that programs leave in folders.
var ignored = []string{".gitkeep", ".DS_Store"}

// Contents are the contents of a directory. The data of objects stay in their files.
type Contents struct {
	dir     string
	objects []manifest.Located
	buckets []bucket
}

type bucket struct {
	fakedriver.BucketSpec

	keys []string
}

// HasManifests reports whether the directory has manifests, which require an API server.
func (c *Contents) HasManifests() bool { return len(c.objects) > 0 }

// AddBuckets adds buckets without objects.
func (c *Contents) AddBuckets(specs []fakedriver.BucketSpec) {
	for _, spec := range specs {
		spec.Owner = emulator.RootAccount
		c.buckets = append(c.buckets, bucket{BucketSpec: spec})
	}
}

// HasBuckets reports whether the directory has buckets, which require the emulator's store.
func (c *Contents) HasBuckets() bool { return len(c.buckets) > 0 }

// Read reads a manifest or a directory, and returns an error for every problem.
func Read(path string) (*Contents, error) {
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		objects, err := manifest.ReadPath(path)
		if err == nil && len(objects) == 0 {
			err = fmt.Errorf("%s has no objects", path)
		}
		return &Contents{dir: filepath.Dir(path), objects: objects}, err
	}
	return readDir(path)
}

func readDir(dir string) (*Contents, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	c := &Contents{dir: dir}
	var failed []error
	for _, entry := range entries { // in the order of their names
		failed = append(failed, c.add(entry))
	}
	if err := errors.Join(failed...); err != nil {
		return nil, err
	}
	if len(c.objects) == 0 && len(c.buckets) == 0 {
		return nil, fmt.Errorf("%s has neither manifests, *.yaml or *.json, nor a directory %s with a directory for each bucket", dir, bucketsDir)
	}
	return c, nil
}

func (c *Contents) add(entry fs.DirEntry) error {
	path := filepath.Join(c.dir, entry.Name())
	switch info, err := os.Stat(path); { // Stat follows links, as Kubernetes mounts them
	case err != nil:
		return err
	case info.IsDir() && entry.Name() == bucketsDir:
		return c.readBuckets(path)
	case info.IsDir() && strings.HasPrefix(entry.Name(), "."):
		return nil
	case info.IsDir():
		return fmt.Errorf("%s: the only directory can be %s; manifests belong into %s", path, bucketsDir, c.dir)
	case manifest.IsManifest(entry.Name()):
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		objects, err := manifest.DecodeFile(path, data)
		c.objects = append(c.objects, objects...)
		return err
	default:
		return nil // such as a README
	}
}

func (c *Contents) readBuckets(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if slices.Contains(ignored, entry.Name()) {
			continue
		}
		path := filepath.Join(dir, entry.Name())
		if !entry.IsDir() {
			return fmt.Errorf("%s: each bucket must be a directory", path)
		}
		keys, err := keysBelow(path)
		if err != nil {
			return err
		}
		c.buckets = append(c.buckets, bucket{fakedriver.BucketSpec{Name: entry.Name(), Owner: emulator.RootAccount}, keys})
	}
	return nil
}

// keysBelow returns the keys of the objects of a bucket: the paths of its files, with slashes.
func keysBelow(dir string) (keys []string, err error) {
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || slices.Contains(ignored, entry.Name()) {
			return err
		}
		if !entry.Type().IsRegular() {
			return fmt.Errorf("%s: must be a file or a directory", path)
		}
		key, err := filepath.Rel(dir, path)
		keys = append(keys, filepath.ToSlash(key))
		return err
	})
	return keys, err
}
