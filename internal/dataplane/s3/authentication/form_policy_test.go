package authentication_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/test/s3test"
)

// TestFormConditions: every condition, with forms that it allows and rejects.
//
//nolint:lll // one case a line
func TestFormConditions(t *testing.T) {
	a := s3test.NewApp(t)
	type list = []any
	field := func(name, value string) func(*s3test.Form) { return func(f *s3test.Form) { f.Fields[name] = value } }
	key := func(name string) func(*s3test.Form) { return func(f *s3test.Form) { f.Key = name } }
	content := func(size int) func(*s3test.Form) { return func(f *s3test.Form) { f.File = strings.Repeat("x", size) } }
	nothing := func(*s3test.Form) {}
	const jpeg, failed = "image/jpeg", "Invalid according to Policy: Policy Condition failed: "
	tests := map[string]struct {
		reason     string
		condition  any
		change     func(*s3test.Form)
		code, says string
	}{
		"Simple":            {"The short form of eq.", map[string]string{"Content-Type": jpeg}, field("Content-Type", jpeg), "", ""},
		"SimpleOther":       {"Another value.", map[string]string{"cache-control": "private"}, field("Cache-Control", "public"), "AccessDenied", failed + `["eq", "$cache-control", "private"]`},
		"SimpleMissing":     {"The field must be there.", map[string]string{"acl": "private"}, nothing, "AccessDenied", failed + `["eq", "$acl", "private"]`},
		"Eq":                {"Exactly the value.", list{"eq", "$Content-Type", jpeg}, field("Content-Type", jpeg), "", ""},
		"EqPrefix":          {"Not its beginning.", list{"eq", "$Content-Type", "image"}, field("Content-Type", jpeg), "AccessDenied", failed + `["eq", "$content-type", "image"]`},
		"EqCase":            {"Values have a case.", list{"eq", "$Content-Type", "IMAGE/jpeg"}, field("Content-Type", jpeg), "AccessDenied", failed},
		"EqEmpty":           {"Missing is not empty.", list{"eq", "$x-amz-meta-a", ""}, nothing, "AccessDenied", failed + `["eq", "$x-amz-meta-a", ""]`},
		"Case":              {"Operators and names have none.", list{"StArTs-WiTh", "$cOnTeNt-TyPe", "image/"}, field("content-type", jpeg), "", ""},
		"Starts":            {"A prefix.", list{"starts-with", "$x-amz-meta-a", "b"}, field("x-amz-meta-a", "bc"), "", ""},
		"StartsOther":       {"Another prefix.", list{"starts-with", "$x-amz-meta-a", "b"}, field("x-amz-meta-a", "ab"), "AccessDenied", failed + `["starts-with", "$x-amz-meta-a", "b"]`},
		"StartsAny":         {"Every value has the empty prefix.", list{"starts-with", "$x-amz-meta-a", ""}, field("x-amz-meta-a", "any"), "", ""},
		"StartsAnyMissing":  {"The field must be there.", list{"starts-with", "$Content-Type", ""}, nothing, "AccessDenied", failed + `["starts-with", "$content-type", ""]`},
		"StartsKey":         {"The name of the file is in it.", list{"starts-with", "$key", "uploads/cat"}, nothing, "", ""},
		"StartsKeyElse":     {"Another directory.", list{"starts-with", "$key", "private/"}, nothing, "AccessDenied", failed},
		"StartsFileName":    {"The name of the file has replaced the variable.", list{"starts-with", "$key", "uploads/${filename}"}, nothing, "AccessDenied", failed},
		"StartsRedirect":    {"A page of one's own.", list{"starts-with", "$success_action_redirect", "http://localhost"}, field("success_action_redirect", "http://localhost:3000"), "", ""},
		"StartsStatus":      {"S3 allows no prefix.", list{"starts-with", "$success_action_status", "2"}, field("success_action_status", "201"), "AccessDenied", failed},
		"StartsBucket":      {"S3 allows no prefix.", list{"starts-with", "$bucket", ""}, nothing, "AccessDenied", failed},
		"StartsClass":       {"S3 allows no prefix.", list{"starts-with", "$x-amz-storage-class", ""}, field("x-amz-storage-class", "STANDARD"), "AccessDenied", failed},
		"StartsOwn":         {"A field that S3 does not know.", list{"starts-with", "$utf8", ""}, field("utf8", "✓"), "", ""},
		"Types":             {"Every type of the list.", list{"starts-with", "$Content-Type", "image/"}, field("Content-Type", "image/png, image/jpeg"), "", ""},
		"TypesElse":         {"One type is another.", list{"starts-with", "$Content-Type", "image/"}, field("Content-Type", "image/png,text/html"), "AccessDenied", failed},
		"KeyEq":             {"Exactly the key.", list{"eq", "$key", "uploads/cat.jpg"}, nothing, "", ""},
		"KeyOther":          {"Another key.", list{"eq", "$key", "uploads/dog.jpg"}, nothing, "AccessDenied", failed},
		"KeyTwice":          {"All conditions count.", list{"starts-with", "$key", ""}, key("elsewhere"), "AccessDenied", failed + `["starts-with", "$key", "uploads/"]`},
		"Dollar":            {"The escape of a dollar sign is S3's own.", list{"starts-with", "$key", "uploads/\x00$a"}, key("uploads/$a"), "", ""},
		"Size":              {"In the range.", list{"content-length-range", 4, 4}, nothing, "", ""},
		"SizeText":          {"Numbers as strings.", list{"content-length-range", "1", "10"}, nothing, "", ""},
		"SizeZero":          {"An empty file.", list{"content-length-range", 0, 0}, content(0), "", ""},
		"SizeBelow":         {"One byte too small.", list{"content-length-range", 5, 10}, nothing, "EntityTooSmall", "<ProposedSize>4</ProposedSize><MinSizeAllowed>5</MinSizeAllowed>"},
		"SizeAbove":         {"One byte too large.", list{"content-length-range", 0, 3}, nothing, "EntityTooLarge", "<MaxSizeAllowed>3</MaxSizeAllowed>"},
		"SizeMuchAbove":     {"It is not read to its end.", list{"content-length-range", 0, 3}, content(1 << 20), "EntityTooLarge", "<MaxSizeAllowed>3</MaxSizeAllowed>"},
		"SizeOne":           {"Two numbers.", list{"content-length-range", 0}, nothing, "InvalidPolicyDocument", "content-length-range"},
		"SizeNegative":      {"Not less than nothing.", list{"content-length-range", -1, 3}, nothing, "InvalidPolicyDocument", "content-length-range"},
		"SizeReversed":      {"Nothing is in it.", list{"content-length-range", 3, 1}, nothing, "InvalidPolicyDocument", "content-length-range"},
		"SizeFraction":      {"Half a byte.", list{"content-length-range", 0.5, 10}, nothing, "InvalidPolicyDocument", "content-length-range"},
		"SizeWord":          {"Not a number.", list{"content-length-range", 0, "many"}, nothing, "InvalidPolicyDocument", "content-length-range"},
		"Operator":          {"S3 has none of that name.", list{"ends-with", "$key", ".jpg"}, nothing, "AccessDenied", failed + `["ends-with", "$key", ".jpg"]`},
		"NoDollar":          {"A name begins with it.", list{"eq", "key", "uploads/cat.jpg"}, nothing, "AccessDenied", failed + `["eq","key","uploads/cat.jpg"]`},
		"Arity":             {"Three elements.", list{"eq", "$key"}, nothing, "AccessDenied", failed + `["eq","$key"]`},
		"Number":            {"Values are strings.", list{"eq", "$success_action_status", 201}, field("success_action_status", "201"), "AccessDenied", failed},
		"SimpleNumber":      {"Values are strings.", map[string]int{"success_action_status": 201}, field("success_action_status", "201"), "AccessDenied", failed},
		"SimpleTwo":         {"One at a time.", map[string]string{"acl": "private", "key": "k"}, nothing, "InvalidPolicyDocument", "exactly one property"},
		"SimpleNone":        {"One at a time.", map[string]string{}, nothing, "InvalidPolicyDocument", "exactly one property"},
		"Empty":             {"No condition.", list{}, nothing, "AccessDenied", failed},
		"Text":              {"No condition.", "eq", nothing, "InvalidPolicyDocument", "must be an Object or a List"},
		"Null":              {"No condition.", nil, nothing, "InvalidPolicyDocument", "must be an Object or a List"},
		"OtherBucket":       {"Of another bucket.", map[string]string{"bucket": "other"}, nothing, "AccessDenied", failed + `["eq", "$bucket", "other"]`},
		"OtherBucketInForm": {"The form says another bucket than its address.", list{"starts-with", "$key", ""}, field("bucket", "other"), "AccessDenied", failed + `["eq", "$bucket", "other"]`},
		"Signature":         {"It cannot sign itself.", list{"starts-with", "$x-amz-meta-a", ""}, func(f *s3test.Form) { f.Change = s3test.AddFields("x-amz-meta-a", "1", "x-amz-meta-b", "2") }, "AccessDenied", "Invalid according to Policy: Extra input fields: x-amz-meta-b"},
		"Extra":             {"No condition covers them.", list{"starts-with", "$key", ""}, func(f *s3test.Form) { f.Change = s3test.AddFields("submit", "Upload", "acl", "private") }, "AccessDenied", "Invalid according to Policy: Extra input fields: acl, submit"},
		"Ignored":           {"They need no condition.", list{"starts-with", "$key", ""}, func(f *s3test.Form) { f.Change = s3test.AddFields("x-ignore-submit", "Upload") }, "", ""},
		"After": {"Fields after the file are ignored.", list{"starts-with", "$key", ""}, func(f *s3test.Form) {
			f.Change = func(all []s3test.FormField) []s3test.FormField {
				return append(all, s3test.FormField{Name: "acl", Value: "public-read"})
			}
		}, "", ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			a := a.In(t)
			f := a.Form()
			f.Conditions = append(f.Conditions, tc.condition)
			tc.change(&f)
			f.Policy = strings.ReplaceAll(f.Document(), `\u0000`, `\`) // the escape that JSON does not have
			got := a.Post(f)
			if found := s3test.CodeOf(got.Body); found != tc.code || !strings.Contains(unescape(got.Body), tc.says) || (tc.code == "" && got.Status >= http.StatusBadRequest) {
				t.Errorf("%s\nanswer %d: %s\npolicy %s", tc.reason, got.Status, got.Body, f.Policy)
			}
		})
	}
}

func unescape(text string) string {
	return strings.NewReplacer("&#34;", `"`, "&#39;", "'").Replace(text)
}

// TestFormPolicies: invalid documents.
//
//nolint:lll // one case a line
func TestFormPolicies(t *testing.T) {
	a := s3test.NewApp(t)
	signed := a.Form()
	good := signed.Document()
	expiring := func(text string) string {
		return `{"expiration": ` + text + `, "conditions": [["starts-with", "$key", ""]]}`
	}
	tests := map[string]struct {
		reason     string
		policy     string
		code, says string
	}{
		"Good":           {"As it should be.", good, "", ""},
		"NoJSON":         {"Not a document.", "{", "InvalidPolicyDocument", "Invalid Policy: Invalid JSON."},
		"List":           {"Not a document.", "[]", "InvalidPolicyDocument", "Invalid JSON"},
		"NoExpiration":   {"Required.", `{"conditions": []}`, "InvalidPolicyDocument", "Invalid Policy: Policy missing expiration."},
		"NoConditions":   {"Required.", `{"expiration": "2999-01-01T00:00:00Z"}`, "InvalidPolicyDocument", "Invalid Policy: Policy missing conditions."},
		"OddConditions":  {"A list.", `{"expiration": "2999-01-01T00:00:00Z", "conditions": {}}`, "InvalidPolicyDocument", "must be a List"},
		"NullConditions": {"A list.", `{"expiration": "2999-01-01T00:00:00Z", "conditions": null}`, "InvalidPolicyDocument", "must be a List"},
		"None":           {"Not even the bucket.", `{"expiration": "2999-01-01T00:00:00Z", "conditions": []}`, "AccessDenied", "Extra input fields: bucket, key, x-amz-algorithm, x-amz-credential, x-amz-date"},
		"UpperCase":      {"Names have a case.", strings.Replace(good, "expiration", "EXPIRATION", 1), "InvalidPolicyDocument", "missing expiration"},
		"UpperCaseToo":   {"Names have a case.", strings.Replace(good, "conditions", "Conditions", 1), "InvalidPolicyDocument", "missing conditions"},
		"Expired":        {"After its time.", expiring(`"2020-01-01T00:00:00.000Z"`), "AccessDenied", "Invalid according to Policy: Policy expired."},
		"NoTime":         {"A time.", expiring(`"tomorrow"`), "InvalidPolicyDocument", "Invalid 'expiration' value: 'tomorrow'"},
		"LocalTime":      {"S3's form.", expiring(`"2999-01-01 00:00:00+00:00"`), "InvalidPolicyDocument", "Invalid 'expiration' value"},
		"Seconds":        {"S3's form.", expiring(`32503680000`), "InvalidPolicyDocument", "Invalid 'expiration' value"},
		"Empty":          {"Not a document.", " ", "InvalidPolicyDocument", "Invalid JSON"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			a := a.In(t)
			f := a.Form()
			f.At, f.Policy = signed.At, tc.policy // the document names the second
			got := a.Post(f)
			if found := s3test.CodeOf(got.Body); found != tc.code || !strings.Contains(unescape(got.Body), tc.says) {
				t.Errorf("%s\nanswer %d: %s", tc.reason, got.Status, got.Body)
			}
		})
	}
}

// TestFormRejections: hostile forms change nothing.
//
//nolint:lll // one case a line
func TestFormRejections(t *testing.T) {
	s := s3test.Serve(t, s3test.Options{MaxBodyBytes: 1 << 20})
	s.Bucket(t, "photos")
	s.Bucket(t, "other")
	key := s.Account(t, "app", s3test.ReadWrite("photos"))
	a := &s3test.App{T: t, Store: s, S3: s.Client(t, key), Bucket: new("photos"), Key: key}
	foreign := s.Account(t, "foreign", s3test.ReadWrite("other"))
	reader := s.Account(t, "reader", fakedriver.Grant{Bucket: "photos", ObjectData: fakedriver.ReadOnly, ObjectMetadata: fakedriver.ReadWrite, BucketMetadata: fakedriver.ReadWrite})
	writer := s.Account(t, "writer", fakedriver.Grant{Bucket: "photos", ObjectData: fakedriver.WriteOnly})
	gone := s.Account(t, "gone", s3test.ReadWrite("photos"))
	s.Revoke(t, "gone")
	a.Put("uploads/cat.jpg", "kept")
	by := func(c fakedriver.Credentials) func(*s3test.Form) { return func(f *s3test.Form) { f.Credentials = c } }
	changed := func(change func([]s3test.FormField) []s3test.FormField) func(*s3test.Form) {
		return func(f *s3test.Form) { f.Change = change }
	}
	field := func(name, value string) func(*s3test.Form) { return func(f *s3test.Form) { f.Fields[name] = value } }
	const tags = "<Tagging><TagSet><Tag><Key>a</Key><Value>b</Value></Tag></TagSet></Tagging>"
	tests := map[string]struct {
		reason     string
		change     func(*s3test.Form)
		status     int
		code, says string
	}{
		"Anonymous": {"Nothing is public.", changed(func(all []s3test.FormField) []s3test.FormField {
			return slices.DeleteFunc(all, func(f s3test.FormField) bool { return f.Name != "key" && f.Name != "file" })
		}), 403, "AccessDenied", ""},
		"NoPolicy":      {"A signature of what?", changed(s3test.WithoutField("policy")), 400, "InvalidArgument", "must contain a field named 'Policy'"},
		"NoSignature":   {"Who has signed it?", changed(s3test.WithoutField("x-amz-signature")), 400, "InvalidArgument", "X-Amz-Signature"},
		"NoCredential":  {"Who has signed it?", changed(s3test.WithoutField("x-amz-credential")), 400, "InvalidArgument", "X-Amz-Credential"},
		"NoDate":        {"When?", changed(s3test.WithoutField("x-amz-date")), 400, "InvalidArgument", "X-Amz-Date"},
		"NoAlgorithm":   {"How?", changed(s3test.WithoutField("x-amz-algorithm")), 400, "InvalidArgument", "X-Amz-Algorithm"},
		"OddAlgorithm":  {"Not supported.", changed(s3test.ReplaceField("x-amz-algorithm", "AWS4-ECDSA-P256-SHA256")), 400, "InvalidArgument", "only supports"},
		"OddCredential": {"No scope.", changed(s3test.ReplaceField("x-amz-credential", "key")), 400, "InvalidArgument", ""},
		"TwoInOne":      {"A field must not become others.", changed(s3test.ReplaceField("x-amz-credential", key.AccessKeyID+"/20260101/r/s3/aws4_request,SignedHeaders=host,Signature=0")), 400, "InvalidArgument", ""},
		"OddDate":       {"No date.", changed(s3test.ReplaceField("x-amz-date", "today")), 400, "InvalidArgument", "ISO8601"},
		"OtherDay":      {"The scope is of another day.", changed(s3test.ReplaceField("x-amz-date", "20200101T000000Z")), 400, "InvalidArgument", "date"},
		"Future":        {"Not yet.", func(f *s3test.Form) { f.At = f.At.Add(time.Hour) }, 403, "AccessDenied", "not yet valid"},
		"Expired":       {"After its time.", func(f *s3test.Form) { f.At = f.At.Add(-48 * time.Hour) }, 403, "AccessDenied", "Policy expired"},
		"OldButValid":   {"The policy says how long.", func(f *s3test.Form) { f.At, f.Expires = f.At.Add(-48*time.Hour), 49*time.Hour }, 204, "", ""},
		"OtherRegion":   {"Signed for another region.", func(f *s3test.Form) { f.Region = "us-west-2" }, 400, "InvalidArgument", "<Region>" + fakedriver.DefaultRegion + "</Region>"},
		"WrongSecret":   {"The key alone is not enough.", func(f *s3test.Form) { f.Credentials.SecretAccessKey = "wrong" }, 403, "SignatureDoesNotMatch", ""},
		"UnknownKey":    {"No account has it.", func(f *s3test.Form) { f.Credentials.AccessKeyID = "COSIUNKNOWN" }, 403, "InvalidAccessKeyId", ""},
		"Revoked":       {"It has been deleted.", by(gone), 403, "InvalidAccessKeyId", ""},
		"Foreign":       {"The bucket is not granted.", by(foreign), 403, "AccessDenied", ""},
		"Reader":        {"It may not write objects.", by(reader), 403, "AccessDenied", ""},
		"Writer":        {"It may.", by(writer), 204, "", ""},
		"WriterTags":    {"Tags are metadata.", func(f *s3test.Form) { f.Credentials, f.Fields["tagging"] = writer, tags }, 403, "AccessDenied", "Tags are object metadata"},
		"Token":         {"The key is not a session's.", func(f *s3test.Form) { f.Token = "t" }, 400, "InvalidToken", ""},
		"OtherBucket":   {"Signed for this one.", func(f *s3test.Form) { f.Path = "/other" }, 403, "AccessDenied", `["eq", "$bucket", "photos"]`},
		"OtherPolicy":   {"Signed for that one.", func(f *s3test.Form) { f.Bucket = "other" }, 403, "AccessDenied", `["eq", "$bucket", "other"]`},
		"NoBucket":      {"As one that is not granted.", func(f *s3test.Form) { f.Path, f.Bucket = "/missing", "missing" }, 403, "AccessDenied", ""},
		"Object":        {"Forms are for buckets.", func(f *s3test.Form) { f.Path = "/photos/key" }, 405, "MethodNotAllowed", ""},
		"Service":       {"Forms are for buckets.", func(f *s3test.Form) { f.Path = "/" }, 405, "MethodNotAllowed", ""},
		"Query":         {"It must not become another operation.", func(f *s3test.Form) { f.Path = "/photos?delete" }, 400, "InvalidArgument", "Query String Parameters not allowed"},
		"AlteredPolicy": {"Changed on the way.", changed(s3test.ReplaceField("policy", base64.StdEncoding.EncodeToString([]byte(`{"expiration": "2999-01-01T00:00:00Z", "conditions": []}`)))), 403, "SignatureDoesNotMatch", ""},
		"AlteredKey":    {"Changed on the way.", changed(s3test.ReplaceField("key", "private/cat.jpg")), 403, "AccessDenied", "Policy Condition failed"},
		"UpwardKey":     {"Keys are not paths: a file cannot name another directory.", func(f *s3test.Form) { f.FileName = "../private/cat.jpg" }, 204, "", ""},
		"NoKey":         {"Required.", changed(s3test.WithoutField("key")), 400, "InvalidArgument", "must contain a field named 'key'"},
		"EmptyKey":      {"Required.", func(f *s3test.Form) { f.Key, f.Conditions = "", []any{[]any{"starts-with", "$key", ""}} }, 400, "InvalidArgument", "length greater than 0"},
		"LongKey":       {"S3 allows 1024 bytes.", func(f *s3test.Form) { f.Key = "uploads/" + strings.Repeat("k", 1017) }, 400, "KeyTooLongError", ""},
		"NULKey":        {"No document can show it.", func(f *s3test.Form) { f.Key = "uploads/\x00" }, 400, "InvalidArgument", "NUL"},
		"OddKey":        {"Not UTF-8.", func(f *s3test.Form) { f.Key = "uploads/\xff" }, 400, "InvalidArgument", "UTF-8"},
		"NoFile":        {"There is nothing to store.", changed(s3test.WithoutField("file")), 400, "InvalidArgument", "exactly one file upload"},
		"FileFirst":     {"What follows is ignored.", changed(func(all []s3test.FormField) []s3test.FormField { return append(all[len(all)-1:], all[:len(all)-1]...) }), 403, "AccessDenied", ""},
		"Twice":         {"Which one counts?", changed(s3test.AddFields("key", "uploads/other")), 400, "InvalidArgument", "more than once"},
		"TwiceInCase":   {"Which one counts?", changed(s3test.AddFields("KEY", "uploads/other")), 400, "InvalidArgument", "more than once"},
		"TwoPolicies":   {"Which one counts?", changed(s3test.AddFields("Policy", "e30=")), 400, "InvalidArgument", "more than once"},
		"TwoACLs":       {"Which one counts?", func(f *s3test.Form) { f.Fields["acl"], f.Fields["x-amz-acl"] = "private", "private" }, 400, "InvalidArgument", "two values of x-amz-acl"},
		"HugeField":     {"S3 allows 20 KB before the file.", field("x-amz-meta-a", strings.Repeat("a", 30<<10)), 400, "MaxPostPreDataLengthExceeded", "20480"},
		"HugeName":      {"Names count, too.", changed(s3test.AddFields(strings.Repeat("n", 30<<10), "")), 400, "MaxPostPreDataLengthExceeded", ""},
		"ManyFields": {"They count together.", changed(func(all []s3test.FormField) []s3test.FormField {
			for i := range 2000 {
				all = s3test.AddFields(fmt.Sprint("x-ignore-", i), "")(all)
			}
			return all
		}), 400, "MaxPostPreDataLengthExceeded", ""},
		"Multiplied": {"A long name in place of many variables.", func(f *s3test.Form) {
			f.FileName, f.Fields["x-ignore-a"] = strings.Repeat("n", 5000), strings.Repeat("${filename}", 500)
		}, 400, "MaxPostPreDataLengthExceeded", ""},
		"Metadata":   {"S3 allows 2 KB.", field("x-amz-meta-a", strings.Repeat("a", 2<<10)), 400, "MetadataTooLarge", ""},
		"PublicACL":  {"Grants decide.", field("acl", "public-read"), 400, "AccessControlListNotSupported", ""},
		"Encrypted":  {"Names a key that there is not.", field("x-amz-server-side-encryption", "aws:kms"), 501, "NotImplemented", ""},
		"CopySource": {"A form is no copy.", field("x-amz-copy-source", "other/k"), 405, "MethodNotAllowed", ""},
		"Lines":      {"It would become a header of answers.", field("Content-Type", "text/html\r\nSet-Cookie: a=b"), 400, "InvalidArgument", "control characters"},
		"NoTags":     {"No document.", field("tagging", "a=b"), 400, "MalformedXML", ""},
		"Tag":        {"Amazon's own.", field("tagging", strings.Replace(tags, "<Key>a", "<Key>aws:a", 1)), 403, "AccessDenied", ""},
		"MD5":        {"Damaged on the way.", field("Content-MD5", "AAAAAAAAAAAAAAAAAAAAAA=="), 400, "BadDigest", ""},
		"OddMD5":     {"Not a hash.", field("Content-MD5", "x"), 400, "InvalidDigest", ""},
		"Checksum":   {"Damaged on the way.", field("x-amz-checksum-sha256", base64.StdEncoding.EncodeToString(make([]byte, 32))), 400, "BadDigest", ""},
		"TwoChecksums": {"Which one counts?", func(f *s3test.Form) {
			f.Fields["x-amz-checksum-crc32"], f.Fields["x-amz-checksum-sha1"] = crc32Of("meow"), ""
		}, 400, "InvalidRequest", ""},
		"TooLarge":     {"Bounded by an option.", func(f *s3test.Form) { f.File = strings.Repeat("x", 1<<20+1) }, 400, "EntityTooLarge", "<MaxSizeAllowed>1048576</MaxSizeAllowed>"},
		"MuchTooLarge": {"Rejected before it is read.", func(f *s3test.Form) { f.File = strings.Repeat("x", 2<<20) }, 400, "EntityTooLarge", "<MaxSizeAllowed>1048576</MaxSizeAllowed>"},
		"SignatureV2":  {"Not supported.", changed(s3test.AddFields("AWSAccessKeyId", "a", "signature", "b")), 400, "InvalidRequest", "Signature Version 2"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			a := a.In(t)
			f := a.Form()
			tc.change(&f)
			got := a.Post(f)
			if found := s3test.CodeOf(got.Body); got.Status != tc.status || found != tc.code || !strings.Contains(unescape(got.Body), tc.says) {
				t.Errorf("%s\nanswer %d: %s", tc.reason, got.Status, got.Body)
			}
			content, _ := a.Read("uploads/cat.jpg", "")
			if want := map[bool]string{true: "meow", false: "kept"}[tc.status == http.StatusNoContent]; content != want {
				t.Errorf("%s\nthe object is %q, want %q", tc.reason, content, want)
			}
			a.Put("uploads/cat.jpg", "kept")
		})
	}
	list, err := a.S3.ListObjectsV2(t.Context(), &s3.ListObjectsV2Input{Bucket: a.Bucket})
	a.Must(err)
	if len(list.Contents) != 1 {
		t.Errorf("there are %d objects, want the one", len(list.Contents))
	}
}
