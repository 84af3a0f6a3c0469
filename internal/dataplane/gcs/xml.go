package gcs

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unique"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs/signature"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/s3exchange"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/s3op"
	"github.com/cosi-emu/cosi-emu/internal/s3error"
	"github.com/cosi-emu/cosi-emu/internal/store/authorization"
	"github.com/cosi-emu/cosi-emu/internal/store/checksum"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

// dialect has the differences of the XML API from S3. The S3 service answers its signed requests.
func (s *Service) dialect() *s3exchange.Dialect {
	return &s3exchange.Dialect{
		Authenticate: s.signatures.Verify, Translate: s.translate, Serves: checkServed, Operations: operationsOfGoogle,
		Protocol: fakedriver.ProtocolGCS, Chunked: true, DefaultType: defaultType,
		MaxMetadataBytes: maxMetadataBytes, MaxHeaderBytes: maxHeaderBytes, Conditions: xmlConditions, Attributes: xmlAttributes,
		Finish: finishXML, Compose: s.composeXML, Describe: describeXML, AppendListed: appendGenerations,
	}
}

// composing is an operation that S3 does not have.
var composing = s3op.Operation{
	Name: "ComposeObject", Method: http.MethodPut, Level: s3op.Object, Selects: []string{"compose"},
	Needs: authorization.WriteData, AlsoNeeds: authorization.ReadData, Body: s3op.Document,
}

// operationsOfGoogle are the operations that S3 does not have. Those of buckets' settings are not served.
var operationsOfGoogle = []s3op.Operation{
	composing,
	{Name: "GetBucketBilling", Method: http.MethodGet, Level: s3op.Bucket, Selects: []string{"billing"}},
	{Name: "PutBucketBilling", Method: http.MethodPut, Level: s3op.Bucket, Selects: []string{"billing"}},
	{Name: "GetBucketStorageClass", Method: http.MethodGet, Level: s3op.Bucket, Selects: []string{"storageClass"}},
	{Name: "PutBucketStorageClass", Method: http.MethodPut, Level: s3op.Bucket, Selects: []string{"storageClass"}},
	{Name: "GetBucketEncryptionConfig", Method: http.MethodGet, Level: s3op.Bucket, Selects: []string{"encryptionConfig"}},
	{Name: "PutBucketEncryptionConfig", Method: http.MethodPut, Level: s3op.Bucket, Selects: []string{"encryptionConfig"}},
}

// xmlOperations are the names of S3's operations with the XML API's names here. Operations without
// one are not served.
var xmlOperations = map[string]string{
	"ListBuckets": "buckets.list", "CreateBucket": "buckets.create", "DeleteBucket": "buckets.delete", "PutBucketVersioning": "buckets.update",
	"HeadBucket": "buckets.get", "GetBucketLocation": "buckets.get", "GetBucketVersioning": "buckets.get",
	"ListObjects": "objects.list", "ListObjectsV2": "objects.list", "ListObjectVersions": "objects.list",
	"GetObject": "objects.get media", "HeadObject": "objects.get media", "PutObject": insert, "CopyObject": "objects.copy",
	composing.Name: "objects.compose", "DeleteObject": "objects.delete", "DeleteObjects": "objects.delete",
	"CreateMultipartUpload": "multipartUploads.create", "UploadPart": "multipartUploads.uploadPart",
	"CompleteMultipartUpload": "multipartUploads.complete", "AbortMultipartUpload": "multipartUploads.abort",
	"ListParts": "multipartUploads.listParts", "ListMultipartUploads": "multipartUploads.list",
}

// checkServed rejects operations that are not served. Google allows ACLs to be read only with a
// permission for policies, which grants do not have; gsutil asks for the ACL of every object that
// it describes, and continues without.
func checkServed(operation string) error {
	switch {
	case operation == "GetObjectAcl":
		return s3error.ErrAccessDenied.With("Grants do not contain the permission storage.objects.getIamPolicy")
	case xmlOperations[operation] == "":
		return s3error.ErrNotImplemented.With("The operation " + operation + " is not implemented for this service")
	default:
		return nil
	}
}

// translations are S3's names of headers.
var translations = map[string]string{
	signature.DateHeader: "X-Amz-Date", signature.HashHeader: "X-Amz-Content-Sha256",
	"X-Goog-Acl": "X-Amz-Acl", "X-Goog-Copy-Source": copySource,
	"X-Goog-Metadata-Directive": "X-Amz-Metadata-Directive", "X-Goog-Copy-Source-If-Match": "X-Amz-Copy-Source-If-Match",
	"X-Goog-Copy-Source-If-None-Match":       "X-Amz-Copy-Source-If-None-Match",
	"X-Goog-Copy-Source-If-Modified-Since":   "X-Amz-Copy-Source-If-Modified-Since",
	"X-Goog-Copy-Source-If-Unmodified-Since": "X-Amz-Copy-Source-If-Unmodified-Since",
}

const (
	copySource       = "X-Amz-Copy-Source"
	classHeader      = "X-Goog-Storage-Class"
	customTimeHeader = "X-Goog-Custom-Time"
	sourceGeneration = "X-Goog-Copy-Source-Generation"
	lengthRange      = "X-Goog-Content-Length-Range"
	listFormat       = "X-Goog-Interop-List-Objects-Format"
)

// asIs are headers without a translation: they are read elsewhere, or have no effect.
var asIs = []string{
	classHeader, customTimeHeader, "X-Goog-If-Generation-Match", "X-Goog-If-Metageneration-Match", "X-Goog-Api-Client",
	"X-Goog-User-Project", "X-Goog-Project-Id", "X-Goog-Api-Version", "X-Goog-Hash", sourceGeneration, lengthRange, listFormat,
}

// notGoogles are headers of S3 that Google does not have.
var notGoogles = []string{"X-Amz-Tagging", "X-Amz-Website-Redirect-Location", "X-Amz-Server-Side-Encryption"}

// classes are Google's storage classes, of which only the names are stored.
var classes = []string{"", defaultClass, "NEARLINE", "COLDLINE", "ARCHIVE", "MULTI_REGIONAL", "REGIONAL", "DURABLE_REDUCED_AVAILABILITY"}

// translate returns a request in S3's form. It rejects headers without translation.
func (s *Service) translate(r *http.Request, query url.Values) (*http.Request, url.Values, error) {
	header := make(http.Header, len(r.Header))
	for name, values := range r.Header {
		to, err := translated(name)
		if err != nil {
			return r, query, err
		}
		if len(header[to]) > 0 {
			return r, query, s3error.ErrInvalidArgument.With("The header " + strings.ToLower(name) + " is given in two forms")
		}
		header[to] = values
	}
	if _, object, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/"); object != "" && checkName(object) != nil {
		return r, query, s3error.ErrInvalidArgument.With("Invalid object name")
	}
	if err := translateValues(header); err != nil {
		return r, query, err
	}
	if err := checkForms(header, query); err != nil {
		return r, query, err
	}
	if err := checkLength(header.Get(lengthRange), r); err != nil {
		return r, query, err
	}
	rest, err := translateQuery(query)
	r = r.WithContext(r.Context())
	r.Header = header
	return r, rest, err
}

// checkForms rejects unsupported forms: the unversioned list of versions, and compose requests with
// headers about a content.
func checkForms(header http.Header, query url.Values) error {
	if format := header.Get(listFormat); format != "" && format != "enabled" {
		return s3error.ErrNotImplemented.With("cosi-emu lists versions in the form of S3 only: the header " + strings.ToLower(listFormat) +
			" must be enabled")
	}
	for _, name := range []string{"X-Goog-Hash", lengthRange} {
		if query.Has("compose") && header.Get(name) != "" {
			return s3error.ErrNotImplemented.With("cosi-emu does not implement the header " + strings.ToLower(name) +
				" for requests to compose an object; check the response's x-goog-hash instead")
		}
	}
	return nil
}

func translated(name string) (string, error) {
	metadata, isMetadata := strings.CutPrefix(name, signature.MetadataPrefix)
	switch to := translations[name]; {
	case to != "":
		return to, nil
	case isMetadata:
		return "X-Amz-Meta-" + metadata, nil
	case name == "X-Amz-Storage-Class":
		return classHeader, nil
	case name == "X-Amz-Interop-List-Objects-Format":
		return listFormat, nil
	case slices.Contains(notGoogles, name), strings.HasPrefix(name, "X-Goog-") && !slices.Contains(asIs, name):
		return "", s3error.ErrNotImplemented.With("cosi-emu does not implement the header " + strings.ToLower(name) + " here")
	}
	return name, nil
}

// translateValues changes values that have another form in S3.
func translateValues(header http.Header) error {
	if header.Get("X-Amz-Acl") == "project-private" { // Google's default
		header.Set("X-Amz-Acl", "private")
	}
	if generation := header.Get(sourceGeneration); generation != "" {
		if _, err := number(generation); err != nil || header.Get(copySource) == "" {
			return s3error.ErrInvalidArgument.With("The header " + strings.ToLower(sourceGeneration) + " must be a number, with a source")
		}
		header.Set(copySource, header.Get(copySource)+"?versionId="+generation)
	}
	if !slices.Contains(classes, header.Get(classHeader)) {
		return s3error.ErrInvalidStorageClass
	}
	hashes, err := declared(header, nil)
	if err != nil {
		return err
	}
	for name, value := range map[string]string{checksum.CRC32C.Header(): hashes.crc32c, "Content-Md5": hashes.md5} {
		if value == "" {
			continue
		}
		if given := header.Get(name); given != "" && given != value {
			return s3error.ErrBadDigest
		}
		header.Set(name, value)
	}
	return nil
}

// checkLength compares the size of an upload with the header X-Goog-Content-Length-Range.
func checkLength(bounds string, r *http.Request) error {
	if bounds == "" {
		return nil
	}
	from, to, _ := strings.Cut(bounds, ",")
	least, err := strconv.ParseInt(strings.TrimSpace(from), 10, 64)
	most, err2 := strconv.ParseInt(strings.TrimSpace(to), 10, 64)
	switch {
	case err != nil || err2 != nil:
		return s3error.ErrInvalidArgument.With("The header " + strings.ToLower(lengthRange) + " must be MIN,MAX")
	case r.ContentLength < 0:
		return s3error.ErrMissingContentLength
	case r.ContentLength > most:
		return s3error.ErrEntityTooLarge
	case r.ContentLength < least:
		return s3error.ErrEntityTooSmall
	}
	return nil
}

// translateQuery replaces generations by IDs of versions, and drops the signature.
func translateQuery(query url.Values) (url.Values, error) {
	rest := make(url.Values, len(query))
	for name, values := range query {
		switch name {
		case "X-Goog-Algorithm", "X-Goog-Credential", "X-Goog-Date", "X-Goog-Expires", "X-Goog-SignedHeaders", "X-Goog-Signature",
			"userProject":
			continue
		case "generation":
			if _, err := number(values[0]); err != nil || values[0] == "" {
				return rest, s3error.ErrInvalidArgument.With("A generation must be a number")
			}
			name, values = "versionId", slices.Compact(slices.Clone(values)) // boto sends the same generation twice
		case "generation-marker":
			name = "version-id-marker"
		}
		rest[name] = append(rest[name], values...) // two forms of one parameter are rejected as a duplicate
	}
	return rest, nil
}

func xmlConditions(header http.Header, c *objects.Conditions) error {
	for name, into := range map[string]**int64{
		"X-Goog-If-Generation-Match": &c.Generation.Match, "X-Goog-If-Metageneration-Match": &c.Metageneration.Match,
	} {
		n, err := number(header.Get(name))
		if err != nil {
			return s3error.ErrInvalidArgument.With("The value of " + strings.ToLower(name) + " must be a number")
		}
		*into = n
	}
	return nil
}

func xmlAttributes(header http.Header, a *objects.Attributes) error {
	h := a.Headers.Value()
	if h.StorageClass = header.Get(classHeader); h.StorageClass == defaultClass {
		h.StorageClass = ""
	}
	a.Headers = unique.Make(h)
	text := header.Get(customTimeHeader)
	if text == "" {
		return nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return s3error.ErrInvalidArgument.With("The value of x-goog-custom-time must be a time such as 2026-01-02T03:04:05Z")
	}
	extra, err := json.Marshal(properties{CustomTime: &at})
	a.Extra = string(extra)
	return err
}

// finishXML gives an object the checksum that all objects have, and drops attributes that are not
// copied.
func finishXML(d *objects.Draft) (err error) {
	if d.Checksum.Algorithm != checksum.CRC32C || d.Checksum.IsComposite() {
		if d.Checksum, err = d.Body.Checksum(checksum.CRC32C); err != nil {
			return err
		}
	}
	if d.Attributes.Extra == "" {
		return nil
	}
	var p properties
	if err := json.Unmarshal([]byte(d.Attributes.Extra), &p); err != nil {
		return err
	}
	p.Updated = time.Time{}
	extra, err := json.Marshal(p)
	d.Attributes.Extra = string(extra)
	return err
}

// appendGenerations appends the elements that Google's lists add to S3's.
func appendGenerations(to []byte, v *objects.Version) []byte {
	to = strconv.AppendInt(append(to, "<Generation>"...), v.Generation(), 10)
	to = strconv.AppendInt(append(to, "</Generation><MetaGeneration>"...), v.Metageneration(), 10)
	return append(to, "</MetaGeneration>"...)
}

func describeXML(header http.Header, v *objects.Version) {
	h := v.StandardHeaders()
	describeAttributes(header, &attributes{
		Generation: v.Generation(), Metageneration: v.Metageneration(), Size: v.Size(), ContentEncoding: h.ContentEncoding,
		StorageClass: cmp.Or(h.StorageClass, defaultClass), CRC32C: v.Checksum.String(), MD5Hash: md5Of(v.ETag), ComponentCount: v.ETag.Parts,
	})
}

// describeAttributes sets the headers that identify an object.
func describeAttributes(header http.Header, a *attributes) {
	header["X-Goog-Hash"] = hashesOf(a)
	for name, value := range map[string]string{
		"X-Goog-Generation": strconv.FormatInt(a.Generation, 10), "X-Goog-Metageneration": strconv.FormatInt(a.Metageneration, 10),
		"X-Goog-Stored-Content-Length": strconv.FormatInt(a.Size, 10), "X-Goog-Stored-Content-Encoding": cmp.Or(a.ContentEncoding, "identity"),
		classHeader: a.StorageClass,
	} {
		header.Set(name, value)
	}
	if a.ComponentCount > 0 {
		header.Set("X-Goog-Component-Count", strconv.Itoa(int(a.ComponentCount)))
	}
}
