package s3exchange

import (
	"mime"
	"net/http"
	"net/url"
	"strings"
	"unique"

	"github.com/cosi-emu/cosi-emu/internal/s3error"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

// metadataPrefix is the prefix of the headers of user metadata, in S3's own case.
const metadataPrefix = "x-amz-meta-"

// Attributes reads the object's attributes from the headers of an upload.
func (x *Exchange) Attributes() (objects.Attributes, error) {
	header := x.R.Header
	metadata, err := metadataOf(header, x.Dialect.MaxMetadataBytes)
	if err != nil {
		return objects.Attributes{}, err
	}
	tags, err := tagsOfHeader(header)
	if err != nil {
		return objects.Attributes{}, err
	}
	if err := checkRedirect(header.Get(redirectHeader)); err != nil {
		return objects.Attributes{}, err
	}
	lock, err := x.lockOfHeader()
	attributes := objects.Attributes{Headers: headersOf(header), Metadata: metadata, Tags: tags, Lock: lock}
	if err == nil {
		err = x.Dialect.Attributes(header, &attributes)
	}
	return attributes, err
}

func headersOf(header http.Header) unique.Handle[objects.Headers] {
	return unique.Make(objects.Headers{
		CacheControl: header.Get("Cache-Control"), ContentDisposition: header.Get("Content-Disposition"),
		ContentEncoding: contentEncoding(header), ContentLanguage: header.Get("Content-Language"),
		ContentType: header.Get("Content-Type"), Expires: header.Get("Expires"),
		StorageClass: storageClass(header), Encryption: header.Get(encryptionHeader),
		WebsiteRedirect: header.Get(redirectHeader),
	})
}

const redirectHeader = "X-Amz-Website-Redirect-Location"

func checkRedirect(location string) error {
	for _, prefix := range []string{"/", "http://", "https://"} {
		if location == "" || strings.HasPrefix(location, prefix) {
			return nil
		}
	}
	return s3error.ErrInvalidRedirectLocation
}

const encryptionHeader = "X-Amz-Server-Side-Encryption"

func storageClass(header http.Header) string {
	if class := header.Get("X-Amz-Storage-Class"); class != standard {
		return class
	}
	return ""
}

// contentEncoding removes the encoding that has been decoded. Any other value stays unchanged.
func contentEncoding(header http.Header) string {
	value := strings.Join(header.Values("Content-Encoding"), ",")
	if !strings.Contains(value, "aws-chunked") {
		return value
	}
	var kept []string
	for encoding := range strings.SplitSeq(value, ",") {
		if encoding = strings.TrimSpace(encoding); encoding != "" && encoding != "aws-chunked" {
			kept = append(kept, encoding)
		}
	}
	return strings.Join(kept, ", ")
}

func metadataOf(header http.Header, maxBytes int) (map[string]string, error) {
	var metadata map[string]string
	bytes := 0
	for name, values := range header {
		if len(name) < len(metadataPrefix) || !strings.EqualFold(name[:len(metadataPrefix)], metadataPrefix) {
			continue
		}
		name = strings.ToLower(name[len(metadataPrefix):])
		if metadata == nil {
			metadata = map[string]string{}
		}
		metadata[name] = decodeWords(strings.Join(values, ","))
		bytes += len(name) + len(metadata[name])
	}
	if bytes > maxBytes {
		return nil, s3error.ErrMetadataTooLarge
	}
	return metadata, nil
}

// decodeWords decodes the encoded words of RFC 2047, in which headers contain Unicode. Responses
// encode them again.
func decodeWords(value string) string {
	decoded, err := new(mime.WordDecoder).DecodeHeader(value)
	if err != nil {
		return value
	}
	return decoded
}

// tagsOfHeader reads X-Amz-Tagging, which has the form of a query.
func tagsOfHeader(header http.Header) (map[string]string, error) {
	text := header.Get("X-Amz-Tagging")
	if text == "" {
		return nil, nil
	}
	values, err := url.ParseQuery(text)
	if err != nil || hasDuplicate(values) {
		return nil, s3error.ErrInvalidArgument.With("The header 'x-amz-tagging' shall be encoded as UTF-8 then URLEncoded URL query parameters "+
			"without tag name duplicates.").About("ArgumentName", "x-amz-tagging").About("ArgumentValue", text)
	}
	var tags []Tag
	for key, all := range values {
		for _, value := range all {
			tags = append(tags, Tag{key, value})
		}
	}
	return CheckTags(tags, MaxObjectTags)
}

func hasDuplicate(values url.Values) bool {
	for _, all := range values {
		if len(all) > 1 {
			return true
		}
	}
	return false
}

const standard = "STANDARD"
