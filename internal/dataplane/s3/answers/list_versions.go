package answers

import (
	"encoding/xml"

	"github.com/johannesboyne/gofakes3"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/s3exchange"
	"github.com/cosi-emu/cosi-emu/internal/s3error"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

// listedVersion is an element Version or DeleteMarker, by its XMLName.
type listedVersion struct {
	XMLName      xml.Name
	Key          string
	Others       []byte `xml:",innerxml"`
	VersionID    string `xml:"VersionId"`
	IsLatest     bool
	LastModified string
	ETag         string `xml:",omitempty"`

	ChecksumAlgorithm string `xml:",omitempty"`
	ChecksumType      string `xml:",omitempty"`

	Size         *int64 `xml:",omitempty"`
	Owner        gofakes3.UserInfo
	StorageClass string `xml:",omitempty"`
}

func (a *Answers) listVersions(x *s3exchange.Exchange) error {
	l, err := newLister(x, "max-keys")
	if err != nil {
		return err
	}
	l.query.After, l.query.AfterVersion = x.Query.Get("key-marker"), x.Query.Get("version-id-marker")
	if l.query.After == "" && l.query.AfterVersion != "" {
		return s3error.ErrInvalidArgument.With("A version-id marker cannot be specified without a key marker.")
	}
	page := x.Contents.ListVersions(l.query)
	document := struct {
		XMLName xml.Name `xml:"ListVersionsResult"`
		listing
		KeyMarker           string
		VersionIDMarker     string `xml:"VersionIdMarker"`
		NextKeyMarker       string `xml:",omitempty"`
		NextVersionIDMarker string `xml:"NextVersionIdMarker,omitempty"`
		Versions            []listedVersion
	}{listing: l.listing(page), KeyMarker: l.encode(l.query.After), VersionIDMarker: l.query.AfterVersion, Versions: l.versions(page)}
	if page.IsTruncated {
		document.NextKeyMarker, document.NextVersionIDMarker = l.encode(page.Next), page.NextVersion
	}
	return sendXML(x, document)
}

func (l *lister) versions(page objects.Page) []listedVersion {
	all := make([]listedVersion, 0, len(page.Versions))
	for _, v := range page.Versions {
		entry := listedVersion{
			Key: l.encode(v.Key), Others: l.x.Dialect.AppendListed(nil, v.Version), VersionID: v.ID, IsLatest: v.IsLatest,
			LastModified: formatTime(v.Modified()), Owner: ownerOf(l.x),
		}
		entry.XMLName.Local = "DeleteMarker"
		if !v.IsDeleteMarker {
			entry.XMLName.Local = "Version"
			entry.ETag, entry.StorageClass, entry.Size = `"`+v.ETag.String()+`"`, s3exchange.StorageClassOf(v.StandardHeaders()), new(v.Size())
			entry.ChecksumAlgorithm, entry.ChecksumType = v.Checksum.Algorithm.String(), s3exchange.SumType(v.Checksum)
		}
		all = append(all, entry)
	}
	return all
}

func (a *Answers) listUploads(x *s3exchange.Exchange) error {
	type entry struct {
		Key               string
		UploadID          string `xml:"UploadId"`
		Initiator, Owner  gofakes3.UserInfo
		StorageClass      string
		Initiated         string
		ChecksumAlgorithm string `xml:",omitempty"`
		ChecksumType      string `xml:",omitempty"`
	}
	l, err := newLister(x, "max-uploads")
	if err != nil {
		return err
	}
	l.query.After, l.query.AfterVersion = x.Query.Get("key-marker"), x.Query.Get("upload-id-marker")
	page := x.Contents.ListUploads(l.query)
	document := struct {
		XMLName            xml.Name `xml:"ListMultipartUploadsResult"`
		Xmlns              string   `xml:"xmlns,attr"`
		Bucket             string
		KeyMarker          string
		UploadIDMarker     string `xml:"UploadIdMarker"`
		NextKeyMarker      string `xml:",omitempty"`
		NextUploadIDMarker string `xml:"NextUploadIdMarker,omitempty"`
		Delimiter          string `xml:",omitempty"`
		EncodingType       string `xml:",omitempty"`
		Prefix             string
		MaxUploads         int
		IsTruncated        bool
		Upload             []entry
		CommonPrefixes     []gofakes3.CommonPrefix
	}{
		Xmlns: namespace, Bucket: x.Bucket, KeyMarker: l.encode(l.query.After), UploadIDMarker: l.query.AfterVersion,
		Delimiter: l.encode(l.query.Delimiter), EncodingType: x.Query.Get("encoding-type"), Prefix: l.encode(l.query.Prefix),
		MaxUploads: l.query.Max, IsTruncated: page.IsTruncated, CommonPrefixes: l.prefixes(page.Prefixes),
	}
	if page.IsTruncated {
		document.NextKeyMarker, document.NextUploadIDMarker = l.encode(page.Next), page.NextID
	}
	for _, u := range page.Uploads {
		document.Upload = append(document.Upload, entry{
			l.encode(u.Key), u.ID, ownerOf(x), ownerOf(x), s3exchange.StorageClassOf(u.StandardHeaders()), formatTime(u.Initiated),
			u.Algorithm.String(), s3exchange.UploadChecksumType(u),
		})
	}
	return sendXML(x, document)
}
