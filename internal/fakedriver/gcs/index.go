package gcs

import (
	"slices"
	"strings"
)

// contents has the objects of all buckets. The service's lock guards it.
type contents map[string]*bucketIndex

// bucketIndex has the objects of one bucket.
type bucketIndex struct {
	names   []string // sorted
	objects map[string]*object
}

// of returns the objects of a bucket, possibly none.
func (c contents) of(bucket string) *bucketIndex {
	if found := c[bucket]; found != nil {
		return found
	}
	return &bucketIndex{}
}

// get returns an object, or nil.
func (c contents) get(bucket, name string) *object { return c.of(bucket).objects[name] }

// put replaces an object.
func (c contents) put(o *object) {
	s := c[o.Bucket]
	if s == nil {
		s = &bucketIndex{objects: map[string]*object{}}
		c[o.Bucket] = s
	}
	if i, found := slices.BinarySearch(s.names, o.Name); !found {
		s.names = slices.Insert(s.names, i, o.Name)
	}
	s.objects[o.Name] = o
}

func (c contents) remove(bucket, name string) {
	s := c.of(bucket)
	if i, found := slices.BinarySearch(s.names, name); found {
		s.names = slices.Delete(s.names, i, i+1)
		delete(s.objects, name)
	}
}

// after returns the names from a given one on.
func (s *bucketIndex) after(from string) []string {
	i, _ := slices.BinarySearch(s.names, from)
	return s.names[i:]
}

// skip returns names without the leading ones that have a prefix.
func skip(names []string, prefix string) []string {
	i, _ := slices.BinarySearchFunc(names, prefix, func(name, prefix string) int {
		if name < prefix || strings.HasPrefix(name, prefix) {
			return -1
		}
		return 1
	})
	return names[i:]
}
