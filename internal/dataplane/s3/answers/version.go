package answers

import (
	"cmp"
	"mime"
	"net/http"
	"strconv"

	"github.com/cosi-emu/cosi-emu/internal/store/checksum"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

// describeOutcome sets the headers that describe the version that was read or written.
func (x *exchange) describeOutcome() {
	switch x.Operation.Name {
	case "GetObject", "HeadObject":
		x.describeVersion()
	case "PutObject", "PostObject", "ComposeObject":
		x.identifyVersion()
		x.tellChecksum(x.version.Checksum)
		x.tellEncryption(x.version.StandardHeaders())
	case "CreateMultipartUpload":
		x.tellUpload()
	}
}

// describeVersion sets the headers that describe the version that was read.
func (x *exchange) describeVersion() {
	v, header := x.version, x.W.Header()
	x.identifyVersion()
	header.Set("Last-Modified", v.Modified().Format(http.TimeFormat))
	for name, value := range standardHeaders(v) {
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

func (x *exchange) identifyVersion() {
	x.W.Header().Set("Etag", `"`+x.version.ETag.String()+`"`)
	x.tellVersionID()
}

// tellVersionID omits the ID while the bucket has never had versioning.
func (x *exchange) tellVersionID() {
	if x.Dialect != nil {
		x.Dialect.Describe(x.W.Header(), x.version)
	}
	if x.contents.Versioning() != objects.Unversioned {
		x.W.Header().Set("X-Amz-Version-Id", x.version.ID)
	}
}

func (x *exchange) tellChecksum(sum checksum.Sum) {
	if sum.IsZero() {
		return
	}
	x.W.Header().Set(sum.Algorithm.Header(), sum.String())
	x.W.Header().Set("X-Amz-Checksum-Type", x.version.Checksum.Type())
}

func classOf(h objects.Headers) string { return cmp.Or(h.StorageClass, standard) }

func standardHeaders(v *objects.Version) map[string]string {
	h := v.StandardHeaders()
	if h.ContentType == "" {
		h.ContentType = "binary/octet-stream"
	}
	return map[string]string{
		"Cache-Control": h.CacheControl, "Content-Disposition": h.ContentDisposition, "Content-Encoding": h.ContentEncoding,
		"Content-Language": h.ContentLanguage, "Content-Type": h.ContentType, "Expires": h.Expires,
		"X-Amz-Website-Redirect-Location": h.WebsiteRedirect, "X-Amz-Storage-Class": h.StorageClass, encryptionHeader: h.Encryption,
	}
}

// tellEncryption repeats the client's encryption, which has no effect here.
func (x *exchange) tellEncryption(h objects.Headers) {
	if h.Encryption != "" {
		x.W.Header().Set(encryptionHeader, h.Encryption)
	}
}

// tellUpload repeats the type of the parts' checksums, and the encryption.
func (x *exchange) tellUpload() {
	u, err := x.upload()
	if err != nil {
		return
	}
	x.tellEncryption(u.StandardHeaders())
	if u.Algorithm != checksum.None {
		x.W.Header().Set("X-Amz-Checksum-Algorithm", u.Algorithm.String())
		x.W.Header().Set("X-Amz-Checksum-Type", typeOf(u))
	}
}
