package s3exchange

import (
	"cmp"
	"mime"
	"net/http"
	"strconv"

	"github.com/cosi-emu/cosi-emu/internal/store/checksum"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

// DescribeOutcome sets the headers that describe the version that was read or written.
func (x *Exchange) DescribeOutcome() {
	switch x.Operation.Name {
	case "GetObject", "HeadObject":
		x.DescribeVersion()
	case "PutObject", "PostObject", "ComposeObject":
		x.identifyVersion()
		x.tellChecksum(x.Version.Checksum)
		x.TellEncryption(x.Version.StandardHeaders())
	case "CreateMultipartUpload":
		x.tellUpload()
	}
}

// DescribeVersion sets the headers that describe the version that was read.
func (x *Exchange) DescribeVersion() {
	v, header := x.Version, x.W.Header()
	x.identifyVersion()
	header.Set("Last-Modified", v.Modified().Format(http.TimeFormat))
	for name, value := range standardHeaders(v, x.Dialect.DefaultType) {
		if value != "" && header.Get(name) == "" {
			header.Set(name, value)
		}
	}
	for name, value := range v.Attributes.Metadata {
		header[metadataPrefix+name] = []string{mime.BEncoding.Encode("UTF-8", value)} // lower case, as in S3
	}
	if count := len(v.Attributes.Tags); count > 0 {
		header.Set("X-Amz-Tagging-Count", strconv.Itoa(count))
	}
	x.tellLock()
	if x.R.Header.Get("X-Amz-Checksum-Mode") == "ENABLED" {
		x.tellChecksum(x.sent)
	}
}

func (x *Exchange) identifyVersion() {
	x.W.Header().Set("Etag", `"`+x.Version.ETag.String()+`"`)
	x.TellVersionID()
}

// TellVersionID omits the ID while the bucket has never had versioning.
func (x *Exchange) TellVersionID() {
	x.Dialect.Describe(x.W.Header(), x.Version)
	if x.Contents.Versioning() != objects.Unversioned {
		x.W.Header().Set("X-Amz-Version-Id", x.Version.ID)
	}
}

func (x *Exchange) tellChecksum(sum checksum.Sum) {
	if sum.IsZero() {
		return
	}
	x.W.Header().Set(sum.Algorithm.Header(), sum.String())
	x.W.Header().Set("X-Amz-Checksum-Type", x.Version.Checksum.Type())
}

// StorageClassOf returns the storage class of an object.
func StorageClassOf(h objects.Headers) string { return cmp.Or(h.StorageClass, standard) }

func standardHeaders(v *objects.Version, defaultType string) map[string]string {
	h := v.StandardHeaders()
	h.ContentType = cmp.Or(h.ContentType, defaultType)
	return map[string]string{
		"Cache-Control": h.CacheControl, "Content-Disposition": h.ContentDisposition, "Content-Encoding": h.ContentEncoding,
		"Content-Language": h.ContentLanguage, "Content-Type": h.ContentType, "Expires": h.Expires,
		redirectHeader: h.WebsiteRedirect, "X-Amz-Storage-Class": h.StorageClass, encryptionHeader: h.Encryption,
	}
}

// TellEncryption repeats the client's encryption, which has no effect here.
func (x *Exchange) TellEncryption(h objects.Headers) {
	if h.Encryption != "" {
		x.W.Header().Set(encryptionHeader, h.Encryption)
	}
}

// tellUpload repeats the type of the parts' checksums, and the encryption.
func (x *Exchange) tellUpload() {
	u, err := x.Upload()
	if err != nil {
		return
	}
	x.TellEncryption(u.StandardHeaders())
	if u.Algorithm != checksum.None {
		x.W.Header().Set("X-Amz-Checksum-Algorithm", u.Algorithm.String())
		x.W.Header().Set("X-Amz-Checksum-Type", UploadChecksumType(u))
	}
}

// Find looks up the version of the request. For a delete marker, the response shows it.
func (x *Exchange) Find() error {
	v, err := x.Contents.Get(x.Key, x.Query.Get("versionId"))
	if err != nil && v != nil {
		header := x.W.Header()
		header.Set("X-Amz-Delete-Marker", "true")
		header.Set("X-Amz-Version-Id", v.ID)
		if x.Query.Has("versionId") {
			header.Set("Last-Modified", v.Modified().Format(http.TimeFormat))
			header.Set("Allow", http.MethodDelete)
		}
	}
	x.Version = v
	x.Hold(v.Release)
	return err
}
