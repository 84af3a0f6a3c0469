package objects

import (
	"cmp"
	"slices"
	"strings"
)

// UploadPage is a part of a listing of uploads.
type UploadPage struct {
	Uploads  []Upload
	Prefixes []string
	// IsTruncated says that there is more, after Next and NextID.
	IsTruncated  bool
	Next, NextID string
}

// ListUploads lists the uploads in progress by key, and those of a key by when
// they began. Query.AfterVersion is an upload's ID here.
func (b *Bucket) ListUploads(q Query) UploadPage {
	var page UploadPage
	if q.Max <= 0 {
		return page
	}
	for _, u := range b.uploadsAfter(q) {
		group := q.group(u.Key)
		if group != "" && slices.Contains(page.Prefixes, group) {
			continue
		}
		if len(page.Uploads)+len(page.Prefixes) == q.Max {
			page.IsTruncated = true
			break
		}
		if group != "" {
			page.Prefixes = append(page.Prefixes, group)
			page.Next, page.NextID = group, ""
		} else {
			page.Uploads = append(page.Uploads, u)
			page.Next, page.NextID = u.Key, u.ID
		}
	}
	return page
}

func (b *Bucket) uploadsAfter(q Query) []Upload {
	all := b.uploadsSorted()
	if q.After != "" {
		all = all[q.startAmong(all):]
	}
	return slices.DeleteFunc(all, func(u Upload) bool { return !strings.HasPrefix(u.Key, q.Prefix) })
}

// startAmong returns the index of the first upload that follows the marker.
func (q Query) startAmong(all []Upload) int {
	marker := slices.IndexFunc(all, func(u Upload) bool { return u.Key == q.After && u.ID == q.AfterVersion })
	if marker >= 0 {
		return marker + 1
	}
	first := slices.IndexFunc(all, func(u Upload) bool {
		return u.Key > q.After && (q.group(q.After) != q.After || !strings.HasPrefix(u.Key, q.After))
	})
	if first < 0 {
		return len(all)
	}
	return first
}

func (b *Bucket) uploadsSorted() []Upload {
	b.mu.RLock()
	defer b.mu.RUnlock()
	all := make([]Upload, 0, len(b.uploads))
	for _, u := range b.uploads {
		all = append(all, u.Upload)
	}
	slices.SortFunc(all, func(a, b Upload) int {
		return cmp.Or(cmp.Compare(a.Key, b.Key), a.Initiated.Compare(b.Initiated), cmp.Compare(a.ID, b.ID))
	})
	return all
}
