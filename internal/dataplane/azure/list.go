package azure

import (
	"encoding/base64"
	"encoding/xml"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure/failure"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

// maxResults is the maximum number of entries of a page.
const maxResults = 5000

// included are the values of the parameter include. Values with a comment add nothing to the list
// of a container.
var included = []string{
	"snapshots", "metadata", "uncommittedblobs", "copy", "tags",
	"deleted", "versions", "deletedwithversions", "immutabilitypolicy", "legalhold", // never anything
}

type (
	listXML struct {
		XMLName    xml.Name  `xml:"EnumerationResults"`
		Endpoint   string    `xml:"ServiceEndpoint,attr"`
		Container  string    `xml:"ContainerName,attr"`
		Prefix     string    `xml:"Prefix,omitempty"`
		Marker     string    `xml:"Marker,omitempty"`
		MaxResults int       `xml:"MaxResults,omitempty"`
		Delimiter  string    `xml:"Delimiter,omitempty"`
		Blobs      entryList `xml:"Blobs"`
		NextMarker string    `xml:"NextMarker"`
	}
	entryList struct {
		Blobs    []blobXML
		Prefixes []prefixXML
	}
	prefixXML struct {
		XMLName xml.Name `xml:"BlobPrefix"`
		Name    nameXML  `xml:"Name"`
	}
	blobXML struct {
		XMLName    xml.Name      `xml:"Blob"`
		Name       nameXML       `xml:"Name"`
		Snapshot   string        `xml:"Snapshot,omitempty"`
		Properties propertiesXML `xml:"Properties"`
		Metadata   *metadataXML  `xml:"Metadata"`
		Tags       *tagsXML      `xml:"Tags"`
	}
	propertiesXML struct {
		Created         string `xml:"Creation-Time,omitempty"`
		Modified        string `xml:"Last-Modified,omitempty"`
		ETag            string `xml:"Etag,omitempty"`
		Length          int64  `xml:"Content-Length"`
		Type            string `xml:"Content-Type,omitempty"`
		Encoding        string `xml:"Content-Encoding,omitempty"`
		Language        string `xml:"Content-Language,omitempty"`
		MD5             string `xml:"Content-MD5,omitempty"`
		Disposition     string `xml:"Content-Disposition,omitempty"`
		CacheControl    string `xml:"Cache-Control,omitempty"`
		BlobType        string `xml:"BlobType"`
		Sealed          bool   `xml:"Sealed,omitempty"`
		Sequence        *int64 `xml:"x-ms-blob-sequence-number"`
		Tier            string `xml:"AccessTier,omitempty"`
		TierInferred    bool   `xml:"AccessTierInferred,omitempty"`
		TierChanged     string `xml:"AccessTierChangeTime,omitempty"`
		LeaseStatus     string `xml:"LeaseStatus,omitempty"`
		LeaseState      string `xml:"LeaseState,omitempty"`
		LeaseDuration   string `xml:"LeaseDuration,omitempty"`
		CopyID          string `xml:"CopyId,omitempty"`
		CopySource      string `xml:"CopySource,omitempty"`
		CopyStatus      string `xml:"CopyStatus,omitempty"`
		CopyProgress    string `xml:"CopyProgress,omitempty"`
		CopyCompleted   string `xml:"CopyCompletionTime,omitempty"`
		ServerEncrypted bool   `xml:"ServerEncrypted"`
		TagCount        int    `xml:"TagCount,omitempty"`
	}
	metadataXML map[string]string
	nameXML     string
)

// MarshalXML implements xml.Marshaler. Names that XML cannot hold are escaped.
func (n nameXML) MarshalXML(e *xml.Encoder, start xml.StartElement) error {
	text := string(n)
	if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' && r != '\t' && r != '\n' || r == '\uFFFE' || r == '\uFFFF' }) {
		start.Attr = append(start.Attr, xml.Attr{Name: xml.Name{Local: "Encoded"}, Value: "true"})
		text = escaped(text)
	}
	return e.EncodeElement(text, start)
}

// MarshalXML implements xml.Marshaler: an element for each name.
func (m metadataXML) MarshalXML(e *xml.Encoder, start xml.StartElement) error {
	if err := e.EncodeToken(start); err != nil {
		return err
	}
	for _, tag := range documentOf(m).Tags {
		if err := e.EncodeElement(tag.Value, xml.StartElement{Name: xml.Name{Local: tag.Key}}); err != nil {
			return err
		}
	}
	return e.EncodeToken(start.End())
}

type listing struct {
	objects.Query

	include []string
	now     time.Time
}

func (x *exchange) listing(now time.Time) (l listing, err error) {
	l = listing{Query: objects.Query{Prefix: x.Query.Get("prefix"), Delimiter: x.Query.Get("delimiter")}, now: now}
	if l.Max, err = x.maxResults(maxResults); err != nil {
		return l, err
	}
	if l.After, err = x.marker(); err != nil {
		return l, err
	}
	if text := x.Query.Get("include"); text != "" {
		l.include = strings.Split(strings.ToLower(text), ",")
	}
	for _, name := range l.include {
		if !slices.Contains(included, name) {
			return l, failure.ErrInvalidQuery.Because("cosi-emu does not implement include=" + printable(name) + ".")
		}
	}
	return l, nil
}

// maxResults returns the maximum number of entries of a page, which the request may reduce.
func (x *exchange) maxResults(limit int) (int, error) {
	text := x.Query.Get("maxresults")
	if text == "" {
		return limit, nil
	}
	asked, err := strconv.Atoi(text)
	if err != nil {
		return 0, failure.ErrInvalidQuery.Because("The value of maxresults must be a number.")
	}
	if asked <= 0 {
		return 0, failure.ErrQueryRange
	}
	return min(asked, limit), nil
}

// marker returns the last entry of the previous page, if any.
func (x *exchange) marker() (string, error) {
	marker, err := base64.URLEncoding.DecodeString(x.Query.Get("marker"))
	if err != nil {
		return "", failure.ErrInvalidQuery.Because("The value of marker must be from the previous page.")
	}
	return string(marker), nil
}

// endpoint returns the address of the account.
func (x *exchange) endpoint() string { return x.Base() + "/" + x.target.account }

func (l listing) has(name string) bool { return slices.Contains(l.include, name) }

// list lists blobs, flat or with the common prefixes of names.
func (s *Service) list(x *exchange) error {
	l, err := x.listing(s.now())
	if err != nil {
		return err
	}
	document := listXML{
		Endpoint: x.endpoint(), Container: x.target.container,
		Prefix: l.Prefix, Delimiter: l.Delimiter, Marker: x.Query.Get("marker"),
	}
	if x.Query.Has("maxresults") {
		document.MaxResults = l.Max
	}
	page := x.bucket.List(l.Query)
	for _, prefix := range page.Prefixes {
		document.Blobs.Prefixes = append(document.Blobs.Prefixes, prefixXML{Name: nameXML(prefix)})
	}
	last := ""
	for i, listed := range page.Versions {
		entries, err := l.entries(x.bucket, listed.Version)
		if err != nil {
			return err
		}
		if len(document.Blobs.Blobs)+len(entries) > l.Max && i > 0 && l.has("snapshots") {
			page.IsTruncated, page.Next = true, last
			document.Blobs.Prefixes = before(document.Blobs.Prefixes, last)
			break
		}
		document.Blobs.Blobs = append(document.Blobs.Blobs, entries...)
		last = listed.Key
	}
	if l.has("uncommittedblobs") {
		l.addUncommitted(x.bucket, &document, page)
	}
	if page.IsTruncated {
		document.NextMarker = base64.URLEncoding.EncodeToString([]byte(page.Next))
	}
	return x.sendXML(document)
}

// before returns the prefixes that are not after a name.
func before(prefixes []prefixXML, name string) []prefixXML {
	return slices.DeleteFunc(prefixes, func(p prefixXML) bool { return string(p.Name) > name })
}

// entries returns a blob and, if included, its snapshots, oldest first.
func (l listing) entries(from *objects.Bucket, base *objects.Version) (all []blobXML, err error) {
	found := []*objects.Version{base}
	if l.has("snapshots") {
		found = from.Versions(base.Key)
		slices.Reverse(found)
	}
	for _, v := range found {
		b, err := blobOf(v)
		if err != nil {
			return nil, err
		}
		all = append(all, l.entry(b))
	}
	return all, nil
}

func (l listing) entry(b *blob) blobXML {
	h := b.StandardHeaders()
	e := blobXML{Name: nameXML(b.Key), Properties: propertiesXML{
		Created: b.Created.Format(http.TimeFormat), Modified: b.lastModified().Format(http.TimeFormat), ETag: strings.Trim(b.etag(), `"`),
		Length: b.Size(), Type: h.ContentType, Encoding: h.ContentEncoding, Language: h.ContentLanguage, MD5: b.MD5,
		Disposition: h.ContentDisposition, CacheControl: h.CacheControl, BlobType: b.Type, Sealed: b.Sealed,
		ServerEncrypted: true, TagCount: len(b.Attributes.Tags),
	}}
	e.Properties.Tier, e.Properties.TierInferred = tierOf(b)
	if !b.TierChanged.IsZero() {
		e.Properties.TierChanged = b.TierChanged.Format(http.TimeFormat)
	}
	if b.Type == pageBlob {
		e.Properties.Sequence = &b.SequenceNumber
	}
	if b.isSnapshot() {
		e.Snapshot = b.ID
	} else {
		state := b.Lease.state(l.now)
		e.Properties.LeaseState, e.Properties.LeaseStatus = state, leaseStatus(state)
		if state == isLeased {
			e.Properties.LeaseDuration = b.Lease.kind()
		}
	}
	if c := b.Copy; c.ID != "" && l.has("copy") {
		size := strconv.FormatInt(c.Size, 10)
		e.Properties.CopyID, e.Properties.CopySource, e.Properties.CopyStatus = c.ID, c.Source, copySucceeded
		e.Properties.CopyProgress, e.Properties.CopyCompleted = size+"/"+size, c.Completed.Format(http.TimeFormat)
	}
	if l.has("metadata") {
		metadata := metadataXML(b.Attributes.Metadata)
		e.Metadata = &metadata
	}
	if l.has("tags") && len(b.Attributes.Tags) > 0 {
		tags := documentOf(b.Attributes.Tags)
		e.Tags = &tags
	}
	return e
}

// addUncommitted adds blobs that have only uncommitted blocks, and their common prefixes, within the
// page.
func (l listing) addUncommitted(from *objects.Bucket, document *listXML, page objects.Page) {
	query := l.Query
	query.Max = maxUncommitted
	uploads := from.ListUploads(query)
	for _, prefix := range uploads.Prefixes {
		added := prefixXML{Name: nameXML(prefix)}
		if !l.isAfter(page, prefix) && !slices.Contains(document.Blobs.Prefixes, added) {
			document.Blobs.Prefixes = append(document.Blobs.Prefixes, added)
		}
	}
	for _, u := range uploads.Uploads {
		if l.isAfter(page, u.Key) || u.Key <= l.After || len(from.Versions(u.Key)) > 0 {
			continue
		}
		document.Blobs.Blobs = append(document.Blobs.Blobs, blobXML{
			Name: nameXML(u.Key), Properties: propertiesXML{BlobType: blockBlob, ServerEncrypted: true},
		})
	}
	slices.SortStableFunc(document.Blobs.Blobs, func(a, b blobXML) int { return strings.Compare(string(a.Name), string(b.Name)) })
	slices.SortFunc(document.Blobs.Prefixes, func(a, b prefixXML) int { return strings.Compare(string(a.Name), string(b.Name)) })
}

// isAfter reports whether a name belongs to a later page.
func (l listing) isAfter(page objects.Page, name string) bool {
	return page.IsTruncated && name > page.Next
}
