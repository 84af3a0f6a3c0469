package contract_test

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

// model is the expected content of a bucket, in a simple form.
type model struct {
	versioning objects.Versioning
	quota      objects.Quota
	versions   map[string][]modelVersion // of a key, the newest first
	uploads    map[string]*modelUpload
}

type modelVersion struct {
	id, content string
	marker      bool
}

type modelUpload struct {
	objects.Upload

	parts map[int]string
}

func newModel(c objects.Config) *model {
	return &model{versioning: c.Versioning, quota: c.Quota, versions: map[string][]modelVersion{}, uploads: map[string]*modelUpload{}}
}

// used counts everything again.
func (m *model) used() objects.Quota {
	var q objects.Quota
	for _, versions := range m.versions {
		for _, v := range versions {
			if !v.marker {
				q.Objects++
				q.Bytes += int64(len(v.content))
			}
		}
	}
	for _, u := range m.uploads {
		q.Bytes += u.bytes()
	}
	return q
}

func (u *modelUpload) bytes() int64 {
	var n int64
	for _, content := range u.parts {
		n += int64(len(content))
	}
	return n
}

// fits reports whether there is room for more; a reduction always fits.
func (m *model) fits(bytes, count int64) bool {
	used := m.used()
	return (m.quota.Bytes == 0 || bytes <= 0 || used.Bytes+bytes <= m.quota.Bytes) &&
		(m.quota.Objects == 0 || count <= 0 || used.Objects+count <= m.quota.Objects)
}

// without returns the versions of a key except one.
func (m *model) without(key, id string) []modelVersion {
	return slices.DeleteFunc(slices.Clone(m.versions[key]), func(v modelVersion) bool { return v.id == id })
}

// kept returns the remaining versions of a key after a put.
func (m *model) kept(key string) []modelVersion {
	if m.versioning == objects.Enabled {
		return m.versions[key]
	}
	return m.without(key, objects.NullVersion)
}

func (m *model) set(key string, versions []modelVersion) {
	if m.versions[key] = versions; len(versions) == 0 {
		delete(m.versions, key)
	}
}

// put returns false without enough room. freed is released by the same change.
func (m *model) put(key, id, content string, freed int64) bool {
	kept := m.kept(key)
	bytes, count := int64(len(content))-freed, int64(1)
	for _, v := range m.versions[key] {
		if !slices.Contains(kept, v) && !v.marker {
			bytes, count = bytes-int64(len(v.content)), 0
		}
	}
	if !m.fits(bytes, count) {
		return false
	}
	m.set(key, slices.Insert(slices.Clone(kept), 0, modelVersion{id: id, content: content}))
	return true
}

func (m *model) remove(key, id string) {
	switch {
	case id != "":
		m.set(key, m.without(key, id))
	case m.versioning == objects.Unversioned:
		m.set(key, nil)
	}
}

func (m *model) mark(key, id string) {
	m.set(key, slices.Insert(slices.Clone(m.kept(key)), 0, modelVersion{id: id, marker: true}))
}

type entry struct {
	key, id  string
	isPrefix bool
}

// list returns the entries of a listing without pages: ordered keys, each with the result of show,
// and common prefixes in place of their keys.
func list(keys []string, q objects.Query, show func(key string) []entry) []entry {
	var all []entry
	slices.Sort(keys)
	for _, key := range keys {
		rest, ok := strings.CutPrefix(key, q.Prefix)
		shown := show(key)
		if !ok || len(shown) == 0 {
			continue
		}
		if before, _, found := strings.Cut(rest, q.Delimiter); found && q.Delimiter != "" {
			group := entry{key: q.Prefix + before + q.Delimiter, isPrefix: true}
			if !slices.Contains(all, group) {
				all = append(all, group)
			}
			continue
		}
		all = append(all, shown...)
	}
	return all
}

func (m *model) list(q objects.Query) []entry {
	return list(slices.Collect(maps.Keys(m.versions)), q, func(key string) []entry {
		if v := m.versions[key][0]; !v.marker {
			return []entry{{key: key, id: v.id}}
		}
		return nil
	})
}

func (m *model) listVersions(q objects.Query) []entry {
	return list(slices.Collect(maps.Keys(m.versions)), q, func(key string) []entry {
		var all []entry
		for _, v := range m.versions[key] {
			all = append(all, entry{key: key, id: v.id})
		}
		return all
	})
}

func (m *model) listUploads(q objects.Query) []entry {
	of := map[string][]*modelUpload{}
	for _, u := range m.uploads {
		of[u.Key] = append(of[u.Key], u)
	}
	return list(slices.Collect(maps.Keys(of)), q, func(key string) []entry {
		slices.SortFunc(of[key], func(a, b *modelUpload) int { return cmp.Or(a.Initiated.Compare(b.Initiated), cmp.Compare(a.ID, b.ID)) })
		var all []entry
		for _, u := range of[key] {
			all = append(all, entry{key: key, id: u.ID})
		}
		return all
	})
}
