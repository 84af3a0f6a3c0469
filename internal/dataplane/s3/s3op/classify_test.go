package s3op_test

import (
	"errors"
	"net/http"
	"net/url"
	"testing"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/s3op"
	"github.com/cosi-emu/cosi-emu/internal/s3error"
)

//nolint:lll // one case a line
func TestClassify(t *testing.T) {
	copies := http.Header{"X-Amz-Copy-Source": {"b/k"}}
	tests := map[string]struct {
		reason string
		method string
		level  s3op.Level
		query  string
		header http.Header
		want   string
		err    error
	}{
		"ListBuckets":        {reason: "The root.", method: "GET", level: s3op.Service, want: "ListBuckets"},
		"Put":                {reason: "SDKs name their call.", method: "PUT", level: s3op.Object, query: "x-id=PutObject", want: "PutObject"},
		"PutPresigned":       {reason: "A signature is no sub-resource.", method: "PUT", level: s3op.Object, query: "X-Amz-Signature=a&X-Amz-Date=b", want: "PutObject"},
		"Copy":               {reason: "Told by a header.", method: "PUT", level: s3op.Object, header: copies, want: "CopyObject"},
		"PutTagging":         {reason: "Must not overwrite the object.", method: "PUT", level: s3op.Object, query: "tagging", want: "PutObjectTagging"},
		"DeleteTagging":      {reason: "Must not delete the object.", method: "DELETE", level: s3op.Object, query: "tagging", want: "DeleteObjectTagging"},
		"DeletePolicy":       {reason: "Must not delete the bucket.", method: "DELETE", level: s3op.Bucket, query: "policy", err: s3error.ErrNotImplemented},
		"PutAcl":             {reason: "Must not overwrite the object.", method: "PUT", level: s3op.Object, query: "acl", want: "PutObjectAcl"},
		"Encrypted":          {reason: "Recorded.", method: "PUT", level: s3op.Object, header: http.Header{"X-Amz-Server-Side-Encryption": {"AES256"}}, want: "PutObject"},
		"EncryptedKMS":       {reason: "Names a key that there is not.", method: "PUT", level: s3op.Object, header: http.Header{"X-Amz-Server-Side-Encryption": {"aws:kms"}}, err: s3error.ErrNotImplemented},
		"Infrequent":         {reason: "Recorded.", method: "PUT", level: s3op.Object, header: http.Header{"X-Amz-Storage-Class": {"STANDARD_IA"}}, want: "PutObject"},
		"OddClass":           {reason: "S3 has none of that name.", method: "PUT", level: s3op.Object, header: http.Header{"X-Amz-Storage-Class": {"FROZEN"}}, err: s3error.ErrInvalidStorageClass},
		"Grants":             {reason: "Grants of the driver decide, and nothing else.", method: "PUT", level: s3op.Object, header: http.Header{"X-Amz-Grant-Read": {"id=a"}}, err: s3error.ErrAccessControlListNotSupported},
		"Bypass":             {reason: "Nothing is locked.", method: "DELETE", level: s3op.Object, header: http.Header{"X-Amz-Bypass-Governance-Retention": {"true"}}, want: "DeleteObject"},
		"RestoreStatus":      {reason: "Nothing is restored.", method: "GET", level: s3op.Bucket, header: http.Header{"X-Amz-Optional-Object-Attributes": {"RestoreStatus"}}, want: "ListObjects"},
		"Unknown":            {reason: "S3 ignores parameters that it does not know.", method: "GET", level: s3op.Object, query: "x-request=7&cache=no&cache=never", want: "GetObject"},
		"OtherCase":          {reason: "A mistake must not delete the object.", method: "DELETE", level: s3op.Object, query: "Tagging", err: s3error.ErrNotImplemented},
		"ParameterOfOthers":  {reason: "S3 ignores it.", method: "GET", level: s3op.Object, query: "prefix=a&id=7", want: "GetObject"},
		"Rename":             {reason: "Must not overwrite the object.", method: "PUT", level: s3op.Object, query: "renameObject", err: s3error.ErrNotImplemented},
		"GetRestore":         {reason: "Must not return the object.", method: "GET", level: s3op.Object, query: "restore", err: s3error.ErrNotImplemented},
		"Patch":              {reason: "S3 has none.", method: "PATCH", level: s3op.Object, err: s3error.ErrNotImplemented},
		"GetCopy":            {reason: "Nothing is copied.", method: "GET", level: s3op.Object, header: copies, err: s3error.ErrInvalidArgument},
		"OddACL":             {reason: "S3 has none of that name.", method: "PUT", level: s3op.Object, header: http.Header{"X-Amz-Acl": {"privatee"}}, err: s3error.ErrInvalidArgument},
		"Version":            {reason: "Of an object.", method: "DELETE", level: s3op.Object, query: "versionId=1", want: "DeleteObject"},
		"VersionEmpty":       {reason: "Must not delete the newest.", method: "DELETE", level: s3op.Object, query: "versionId=", err: s3error.ErrInvalidArgument},
		"VersionPut":         {reason: "Nothing is put over an old version.", method: "PUT", level: s3op.Object, query: "versionId=1", err: s3error.ErrNotImplemented},
		"Versions":           {reason: "Of a bucket.", method: "GET", level: s3op.Bucket, query: "versions", want: "ListObjectVersions"},
		"UploadPart":         {reason: "Both parameters.", method: "PUT", level: s3op.Object, query: "uploadId=1&partNumber=2", want: "UploadPart"},
		"UploadPartCopy":     {reason: "Told by a header.", method: "PUT", level: s3op.Object, query: "uploadId=1&partNumber=2", header: copies, want: "UploadPartCopy"},
		"HalfAPart":          {reason: "Not an operation.", method: "PUT", level: s3op.Object, query: "partNumber=2", err: s3error.ErrNotImplemented},
		"Abort":              {reason: "Not DeleteObject.", method: "DELETE", level: s3op.Object, query: "uploadId=1", want: "AbortMultipartUpload"},
		"AbortEmpty":         {reason: "Must not delete the object.", method: "DELETE", level: s3op.Object, query: "uploadId=", err: s3error.ErrInvalidArgument},
		"Twice":              {reason: "Two readers might see different values.", method: "DELETE", level: s3op.Object, query: "uploadId=1&uploadId=2", err: s3error.ErrInvalidArgument},
		"ListV1":             {reason: "The default.", method: "GET", level: s3op.Bucket, query: "prefix=a", want: "ListObjects"},
		"ListV2":             {reason: "Told by list-type.", method: "GET", level: s3op.Bucket, query: "list-type=2&prefix=a", want: "ListObjectsV2"},
		"ListV3":             {reason: "There is none.", method: "GET", level: s3op.Bucket, query: "list-type=3", err: s3error.ErrInvalidArgument},
		"ListUploads":        {reason: "Of a bucket.", method: "GET", level: s3op.Bucket, query: "uploads", want: "ListMultipartUploads"},
		"Form":               {reason: "Posted to the bucket.", method: "POST", level: s3op.Bucket, want: "PostObject"},
		"FormOfObject":       {reason: "Posted to the bucket only.", method: "POST", level: s3op.Object, err: s3error.ErrNotImplemented},
		"FormCopy":           {reason: "A form has the content.", method: "POST", level: s3op.Bucket, header: copies, err: s3error.ErrMethodNotAllowed},
		"Preflight":          {reason: "It has no operation.", method: "OPTIONS", level: s3op.Bucket, err: s3error.ErrNotImplemented},
		"DeleteBucket":       {reason: "A reserved operation.", method: "DELETE", level: s3op.Bucket, want: "DeleteBucket"},
		"ForcedDelete":       {reason: "minio's way to delete the objects, too, is not a way here.", method: "DELETE", level: s3op.Bucket, header: http.Header{"X-Minio-Force-Delete": {"true"}}, want: "DeleteBucket"},
		"CopyIfMatch":        {reason: "A condition on the source.", method: "PUT", level: s3op.Object, header: http.Header{"X-Amz-Copy-Source": {"b/k"}, "X-Amz-Copy-Source-If-Match": {"x"}}, want: "CopyObject"},
		"CopyRange":          {reason: "Only a part can be copied by a range.", method: "PUT", level: s3op.Object, header: http.Header{"X-Amz-Copy-Source": {"b/k"}, "X-Amz-Copy-Source-Range": {"x"}}, err: s3error.ErrNotImplemented},
		"SourceIfMatch":      {reason: "A condition on a source that is not there.", method: "PUT", level: s3op.Object, header: http.Header{"X-Amz-Copy-Source-If-Match": {"x"}}, err: s3error.ErrNotImplemented},
		"Tags":               {reason: "Stored with the object.", method: "PUT", level: s3op.Object, header: http.Header{"X-Amz-Tagging": {"a=b"}}, want: "PutObject"},
		"TagsOfPart":         {reason: "Parts have none.", method: "PUT", level: s3op.Object, query: "uploadId=1&partNumber=2", header: http.Header{"X-Amz-Tagging": {"a=b"}}, err: s3error.ErrNotImplemented},
		"CustomerKey":        {reason: "Would be stored in plain text.", method: "PUT", level: s3op.Object, header: http.Header{"X-Amz-Server-Side-Encryption-Customer-Key": {"a"}}, err: s3error.ErrNotImplemented},
		"Lock":               {reason: "The bucket decides.", method: "PUT", level: s3op.Object, header: http.Header{"X-Amz-Object-Lock-Mode": {"GOVERNANCE"}}, want: "PutObject"},
		"Glacier":            {reason: "There is one class.", method: "PUT", level: s3op.Object, header: http.Header{"X-Amz-Storage-Class": {"GLACIER"}}, err: s3error.ErrNotImplemented},
		"PublicACL":          {reason: "Grants decide, and nothing else.", method: "PUT", level: s3op.Object, header: http.Header{"X-Amz-Acl": {"public-read"}}, err: s3error.ErrAccessControlListNotSupported},
		"ProbeBucket":        {reason: "rclone sends it with every upload.", method: "PUT", level: s3op.Bucket, header: http.Header{"X-Amz-Bucket-Object-Lock-Enabled": {"false"}}, want: "CreateBucket"},
		"LockedBucket":       {reason: "Of an administrator.", method: "PUT", level: s3op.Bucket, header: http.Header{"X-Amz-Bucket-Object-Lock-Enabled": {"true"}}, want: "CreateBucket"},
		"LockedPart":         {reason: "Its upload decides.", method: "PUT", level: s3op.Object, query: "uploadId=u&partNumber=1", header: http.Header{"X-Amz-Object-Lock-Mode": {"GOVERNANCE"}}, err: s3error.ErrNotImplemented},
		"OwnedByBucketOwner": {reason: "Says what is so anyway.", method: "PUT", level: s3op.Bucket, header: http.Header{"X-Amz-Object-Ownership": {"BucketOwnerEnforced"}}, want: "CreateBucket"},
		"OwnedByWriter":      {reason: "ACLs decide nothing.", method: "PUT", level: s3op.Bucket, header: http.Header{"X-Amz-Object-Ownership": {"ObjectWriter"}}, err: s3error.ErrNotImplemented},
		"PrivateACL":         {reason: "Says what is so anyway.", method: "PUT", level: s3op.Object, header: http.Header{"X-Amz-Acl": {"private"}}, want: "PutObject"},
		"PutIfAbsent":        {reason: "Honoured.", method: "PUT", level: s3op.Object, header: http.Header{"If-None-Match": {"*"}}, want: "PutObject"},
		"PutIfNotETag":       {reason: "S3 has it for reading only.", method: "PUT", level: s3op.Object, header: http.Header{"If-None-Match": {`"a"`}}, err: s3error.ErrNotImplemented},
		"PutIfBoth":          {reason: "S3 has one at a time.", method: "PUT", level: s3op.Object, header: http.Header{"If-None-Match": {"*"}, "If-Match": {`"a"`}}, err: s3error.ErrNotImplemented},
		"PutIfModified":      {reason: "Only reading depends on times.", method: "PUT", level: s3op.Object, header: http.Header{"If-Modified-Since": {"x"}}, err: s3error.ErrNotImplemented},
		"GetIfNotETag":       {reason: "Any ETag will do for reading.", method: "GET", level: s3op.Object, header: http.Header{"If-None-Match": {`"a"`}}, want: "GetObject"},
		"DeleteIfMatch":      {reason: "Honoured.", method: "DELETE", level: s3op.Object, header: http.Header{"If-Match": {`"a"`}}, want: "DeleteObject"},
		"DeleteVersionIf":    {reason: "S3 has conditions on the newest version only.", method: "DELETE", level: s3op.Object, query: "versionId=1", header: http.Header{"If-Match": {`"a"`}}, err: s3error.ErrNotImplemented},
		"AbortIfMatch":       {reason: "Would be ignored.", method: "DELETE", level: s3op.Object, query: "uploadId=1", header: http.Header{"If-Match": {`"a"`}}, err: s3error.ErrNotImplemented},
		"CompleteIfNoObject": {reason: "Honoured.", method: "POST", level: s3op.Object, query: "uploadId=1", header: http.Header{"If-None-Match": {"*"}}, want: "CompleteMultipartUpload"},
		"HoistedACL":         {reason: "A presigned URL must not lose what it says.", method: "PUT", level: s3op.Object, query: "X-Amz-Acl=public-read", err: s3error.ErrNotImplemented},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			query, err := url.ParseQuery(tc.query)
			if err != nil {
				t.Fatal(err)
			}
			got, err := s3op.Classify(tc.method, tc.level, query, tc.header, nil)
			if !errors.Is(err, tc.err) {
				t.Fatalf("%s\nClassify(): error %v, want %v", tc.reason, err, tc.err)
			}
			if err == nil && got.Name != tc.want {
				t.Errorf("%s\nClassify() = %q, want %q", tc.reason, got.Name, tc.want)
			}
		})
	}
}

// TestClassifyOthers finds the operation of another service, which S3 does not have.
func TestClassifyOthers(t *testing.T) {
	others := []s3op.Operation{{Name: "Other", Method: http.MethodPut, Level: s3op.Object, Selects: []string{"other"}}}
	query := url.Values{"other": {""}}
	if got, err := s3op.Classify(http.MethodPut, s3op.Object, query, nil, others); err != nil || got.Name != "Other" {
		t.Errorf("Classify() = %q, %v, want Other", got.Name, err)
	}
	if got, err := s3op.Classify(http.MethodPut, s3op.Object, nil, nil, others); err != nil || got.Name != "PutObject" {
		t.Errorf("Classify() without the parameter = %q, %v, want PutObject", got.Name, err)
	}
	if got, err := s3op.Classify(http.MethodPut, s3op.Object, query, nil, nil); err != nil || got.Name != "PutObject" {
		t.Errorf("Classify() in S3, which ignores the parameter = %q, %v, want PutObject", got.Name, err)
	}
}

// TestTable checks the table: a row's own request must find it, and no other row's may.
func TestTable(t *testing.T) {
	for _, row := range s3op.Table() {
		query, header := url.Values{}, http.Header{}
		for _, name := range row.Selects {
			query.Set(name, "2")
		}
		if row.CopySource {
			header.Set("X-Amz-Copy-Source", "b/k")
		}
		got, err := s3op.Classify(row.Method, row.Level, query, header, nil)
		if err != nil || got.Name != row.Name {
			t.Errorf("the request of %s is found to be %q, %v", row.Name, got.Name, err)
		}
		for _, need := range row.Needs {
			if need.Direction != row.Needs[0].Direction {
				t.Errorf("%s can be had by reading or by writing", row.Name)
			}
		}
	}
}

// TestClassifyNames: a rejection names the operation or the parameter that is not implemented.
func TestClassifyNames(t *testing.T) {
	copies := http.Header{"X-Amz-Copy-Source": {"b/k"}}
	tests := map[string]struct {
		method string
		level  s3op.Level
		query  string
		header http.Header
		want   string
	}{
		"Operation": {http.MethodPost, s3op.Object, "restore", nil, "RestoreObject is not implemented"},
		"Select":    {http.MethodPost, s3op.Object, "select&select-type=2", nil, "SelectObjectContent is not implemented"},
		"Parameter": {http.MethodGet, s3op.Object, "restore", nil, `GetObject with the query parameter "restore" is not implemented`},
		"Method":    {http.MethodPatch, s3op.Object, "", nil, "PATCH is not implemented for the level object"},
		"Post":      {http.MethodPost, s3op.Object, "", nil, "POST is not implemented for the level object"},
		"Copy":      {http.MethodGet, s3op.Object, "", copies, "You can only specify a copy source header for copy requests."},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			query, err := url.ParseQuery(tc.query)
			if err != nil {
				t.Fatal(err)
			}
			_, err = s3op.Classify(tc.method, tc.level, query, tc.header, nil)
			if got := s3error.From(err).Message; got != tc.want {
				t.Errorf("message %q, want %q", got, tc.want)
			}
		})
	}
}
