package objects

import (
	"cmp"
	"slices"
	"strings"
)

// UploadPage is one page of a listing of uploads.
type UploadPage struct {
	Uploads  []Upload
	Prefixes []string
	// IsTruncated means that the listing continues after Next and NextID.
	IsTruncated  bool
	Next, NextID string
}

// ListUploads lists the unfinished uploads by key and start time. Query.AfterVersion is the ID of
// an upload.
func (b *Bucket) ListUploads(q Query) UploadPage {
	var page UploadPage
	from, ok := q.start()
	if q.Max <= 0 || !ok {
		return page
	}
	last := "" // common prefix of the last upload
	for _, u := range b.uploadsFrom(from, q) {
		group := q.group(u.Key)
		if group != "" && group == last {
			continue
		}
		if len(page.Uploads)+len(page.Prefixes) == q.Max {
			page.IsTruncated = true
			break
		}
		if last = group; group != "" {
			page.Prefixes = append(page.Prefixes, group)
			page.Next, page.NextID = group, ""
		} else {
			page.Uploads = append(page.Uploads, u.Upload)
			page.Next, page.NextID = u.Key, u.ID
		}
	}
	return page
}

// uploadsFrom returns the uploads that a listing can show, in order. If the upload in AfterVersion
// has ended meanwhile, the key is listed again from the start.
func (b *Bucket) uploadsFrom(key string, q Query) []*upload {
	b.mu.RLock()
	defer b.mu.RUnlock()
	var all []*upload
	for _, u := range b.uploads {
		if (q.Appended || !u.Appended) && u.Key >= key && strings.HasPrefix(u.Key, q.Prefix) {
			all = append(all, u)
		}
	}
	slices.SortFunc(all, func(a, b *upload) int {
		return cmp.Or(strings.Compare(a.Key, b.Key), a.Initiated.Compare(b.Initiated), strings.Compare(a.ID, b.ID))
	})
	marker := slices.IndexFunc(all, func(u *upload) bool { return u.Key == q.After && u.ID == q.AfterVersion })
	return all[marker+1:]
}
