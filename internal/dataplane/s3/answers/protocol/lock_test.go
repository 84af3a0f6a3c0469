package protocol_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/test/s3test"
)

func lockable(b *fakedriver.BucketSpec) { b.ObjectLock = true }

// tomorrow is a time that S3 shows unchanged.
func tomorrow() time.Time { return time.Now().UTC().Add(24 * time.Hour).Truncate(time.Millisecond) }

func retained(mode types.ObjectLockMode, until time.Time) func(*s3.PutObjectInput) {
	return func(in *s3.PutObjectInput) { in.ObjectLockMode, in.ObjectLockRetainUntilDate = mode, &until }
}

func retainObject(a *s3test.App, key, version string, mode types.ObjectLockRetentionMode, until time.Time, bypass bool) error {
	a.Helper()
	retention := &types.ObjectLockRetention{Mode: mode, RetainUntilDate: &until}
	if mode == "" {
		retention = &types.ObjectLockRetention{}
	}
	_, err := a.S3.PutObjectRetention(a.Context(), &s3.PutObjectRetentionInput{
		Bucket: a.Bucket, Key: &key, VersionId: s3test.Optional(version), Retention: retention, BypassGovernanceRetention: &bypass,
	})
	return err
}

func holdObject(a *s3test.App, key string, status types.ObjectLockLegalHoldStatus) {
	a.Helper()
	_, err := a.S3.PutObjectLegalHold(a.Context(), &s3.PutObjectLegalHoldInput{
		Bucket: a.Bucket, Key: &key, LegalHold: &types.ObjectLockLegalHold{Status: status},
	})
	a.Must(err)
}

func eraseVersion(a *s3test.App, key, version string, bypass bool) error {
	a.Helper()
	_, err := a.S3.DeleteObject(a.Context(), &s3.DeleteObjectInput{
		Bucket: a.Bucket, Key: &key, VersionId: &version, BypassGovernanceRetention: &bypass,
	})
	return err
}

// lockOf returns the lock of an object in the response to HEAD.
func lockOf(a *s3test.App, key string) (lock [3]string) {
	a.Helper()
	header := a.Raw(http.MethodHead, "/"+key, "").Header
	for i, name := range []string{"Mode", "Retain-Until-Date", "Legal-Hold"} {
		lock[i] = header.Get("X-Amz-Object-Lock-" + name)
	}
	return lock
}

// TestObjectLock: an object that was locked in any way is shown and protected as locked.
func TestObjectLock(t *testing.T) {
	a := s3test.NewApp(t, lockable)
	until := tomorrow()
	want := [3]string{"COMPLIANCE", until.Format("2006-01-02T15:04:05.000Z"), "ON"}
	a.Put("put", "content", retained("COMPLIANCE", until), func(in *s3.PutObjectInput) { in.ObjectLockLegalHoldStatus = "ON" })
	_, err := a.S3.CopyObject(t.Context(), &s3.CopyObjectInput{
		Bucket: a.Bucket, Key: new("copy"), CopySource: new("photos/put"),
		ObjectLockMode: "COMPLIANCE", ObjectLockRetainUntilDate: &until, ObjectLockLegalHoldStatus: "ON",
	})
	a.Must(err)
	u := a.Begin("parts", func(in *s3.CreateMultipartUploadInput) {
		in.ObjectLockMode, in.ObjectLockRetainUntilDate, in.ObjectLockLegalHoldStatus = "COMPLIANCE", &until, "ON"
	})
	_, err = a.Complete(u, a.Part(u, 1, "part"))
	a.Must(err)
	a.Put("later", "content")
	a.Must(retainObject(a, "later", "", "COMPLIANCE", until, false))
	holdObject(a, "later", "ON")
	for _, key := range []string{"put", "copy", "parts", "later"} {
		if diff := cmp.Diff(want, lockOf(a, key)); diff != "" {
			t.Errorf("%s: -want, +got:\n%s", key, diff)
		}
		retention, err := a.S3.GetObjectRetention(t.Context(), &s3.GetObjectRetentionInput{Bucket: a.Bucket, Key: &key})
		a.Must(err)
		hold, err := a.S3.GetObjectLegalHold(t.Context(), &s3.GetObjectLegalHoldInput{Bucket: a.Bucket, Key: &key})
		a.Must(err)
		if retention.Retention.Mode != "COMPLIANCE" || !retention.Retention.RetainUntilDate.Equal(until) || hold.LegalHold.Status != "ON" {
			t.Errorf("%s: retention %+v, legal hold %+v", key, retention.Retention, hold.LegalHold)
		}
		a.Rejected(key+" with a legal hold", eraseVersion(a, key, *a.Head(key, "").VersionId, true), "AccessDenied")
		holdObject(a, key, "OFF")
		a.Rejected(key+" without", eraseVersion(a, key, *a.Head(key, "").VersionId, true), "AccessDenied")
		if got := lockOf(a, key)[2]; got != "OFF" {
			t.Errorf("%s: the legal hold is %q", key, got)
		}
	}
	_, err = a.S3.CopyObject(t.Context(), &s3.CopyObjectInput{Bucket: a.Bucket, Key: new("free"), CopySource: new("photos/put")})
	a.Must(err)
	if got := lockOf(a, "free"); got != [3]string{} {
		t.Errorf("a copy has the lock of its source: %v", got)
	}
	for _, target := range []string{"/free?retention", "/free?legal-hold"} {
		if got := a.Raw(http.MethodGet, target, ""); got.Status != 404 || s3test.Code(t, got.Body) != "NoSuchObjectLockConfiguration" {
			t.Errorf("GET %s answered %d: %s", target, got.Status, got.Body)
		}
	}
	a.Must(eraseVersion(a, "free", *a.Head("free", "").VersionId, false))
}

// TestLockedObjectDeleted: a deletion without version hides the object, and its marker can be
// deleted.
func TestLockedObjectDeleted(t *testing.T) {
	a := s3test.NewApp(t, lockable)
	id := *a.Put("k", "content", retained("GOVERNANCE", tomorrow())).VersionId
	a.Put("k", "newer")
	marker := a.Remove("k", "")
	if !aws.ToBool(marker.DeleteMarker) {
		t.Errorf("DeleteObject() without version = %+v", marker)
	}
	a.Must(eraseVersion(a, "k", *marker.VersionId, false))
	a.Rejected("DeleteObject()", eraseVersion(a, "k", id, false), "AccessDenied")
	many := func(bypass bool) *s3.DeleteObjectsOutput {
		out, err := a.S3.DeleteObjects(t.Context(), &s3.DeleteObjectsInput{
			Bucket: a.Bucket, BypassGovernanceRetention: &bypass, Delete: &types.Delete{Objects: []types.ObjectIdentifier{
				{Key: new("k"), VersionId: &id}, {Key: new("other")},
			}},
		})
		a.Must(err)
		return out
	}
	if out := many(false); len(out.Errors) != 1 || *out.Errors[0].Code != "AccessDenied" || len(out.Deleted) != 1 {
		t.Errorf("DeleteObjects() = %+v, %+v", out.Errors, out.Deleted)
	}
	if content, _ := a.Read("k", id); content != "content" {
		t.Errorf("the object is %q", content)
	}
	if out := many(true); len(out.Errors) != 0 || len(out.Deleted) != 2 {
		t.Errorf("DeleteObjects() with bypass = %+v, %+v", out.Errors, out.Deleted)
	}
}

// TestBypassGovernance: a key may bypass the mode GOVERNANCE if it may write the data and the
// metadata of objects, and an administrator may bypass all.
func TestBypassGovernance(t *testing.T) {
	a := s3test.NewApp(t, lockable)
	with := func(id string, grant fakedriver.Grant) *s3test.App {
		b := *a
		grant.Bucket = "photos"
		b.Key = a.Store.Account(t, id, grant)
		b.S3 = a.Store.Client(t, b.Key)
		return &b
	}
	write := fakedriver.WriteOnly
	data := with("data", fakedriver.Grant{ObjectData: write, BucketMetadata: write})
	metadata := with("metadata", fakedriver.Grant{ObjectMetadata: write, BucketMetadata: write})
	both := with("both", fakedriver.Grant{ObjectData: write, ObjectMetadata: write})
	admin := *a
	admin.Key = a.Store.Admin(t)
	admin.S3 = a.Store.Client(t, admin.Key)
	id := *a.Put("k", "content", retained("GOVERNANCE", tomorrow())).VersionId

	a.Rejected("PutObject with a lock by data", func() error {
		_, err := data.S3.PutObject(t.Context(), &s3.PutObjectInput{Bucket: a.Bucket, Key: new("new"), ObjectLockLegalHoldStatus: "ON"})
		return err
	}(), "AccessDenied")
	a.Rejected("PutObjectRetention by data", retainObject(data, "k", id, "GOVERNANCE", tomorrow().Add(time.Hour), false), "AccessDenied")
	a.Rejected("DeleteObject by data", eraseVersion(data, "k", id, true), "AccessDenied")
	a.Rejected("DeleteObject by metadata", eraseVersion(metadata, "k", id, true), "AccessDenied")
	a.Rejected("a longer retention by metadata", retainObject(metadata, "k", id, "GOVERNANCE", tomorrow().Add(time.Hour), false), "")
	a.Rejected("no retention by metadata", retainObject(metadata, "k", id, "", time.Time{}, true), "AccessDenied")
	a.Rejected("DeleteObject by both, without the header", eraseVersion(both, "k", id, false), "AccessDenied")
	a.Rejected("no retention by both", retainObject(both, "k", id, "", time.Time{}, true), "")
	a.Rejected("a retention again", retainObject(both, "k", id, "GOVERNANCE", tomorrow(), false), "")
	a.Rejected("DeleteObject by both", eraseVersion(both, "k", id, true), "")

	id = *a.Put("k", "content", retained("COMPLIANCE", tomorrow())).VersionId
	a.Rejected("COMPLIANCE by both", eraseVersion(both, "k", id, true), "AccessDenied")
	a.Rejected("COMPLIANCE by an administrator, without the header", eraseVersion(&admin, "k", id, false), "AccessDenied")
	a.Rejected("COMPLIANCE by an administrator", eraseVersion(&admin, "k", id, true), "")
}

// TestRetentionEnds uses the store's clock, not the system's.
func TestRetentionEnds(t *testing.T) {
	var late atomic.Int64
	s := s3test.Serve(t, s3test.Options{Now: func() time.Time { return time.Now().Add(time.Duration(late.Load())) }})
	s.Bucket(t, "records", lockable)
	key := s.Account(t, "app", s3test.AllAccess("records"))
	a := &s3test.App{T: t, Store: s, S3: s.Client(t, key), Bucket: new("records"), Key: key}
	id := *a.Put("k", "content", retained("COMPLIANCE", time.Now().Add(10*time.Minute))).VersionId
	a.Rejected("before its end", eraseVersion(a, "k", id, false), "AccessDenied")
	late.Store(int64(11 * time.Minute)) // signatures are valid for 15 minutes
	a.Rejected("after its end", eraseVersion(a, "k", id, false), "")
}

// defaultRetention returns the default retention of the bucket from GetObjectLockConfiguration.
func defaultRetention(a *s3test.App) fakedriver.Retention {
	a.Helper()
	out, err := a.S3.GetObjectLockConfiguration(a.Context(), &s3.GetObjectLockConfigurationInput{Bucket: a.Bucket})
	a.Must(err)
	if out.ObjectLockConfiguration.ObjectLockEnabled != "Enabled" {
		a.Errorf("GetObjectLockConfiguration() = %+v", out.ObjectLockConfiguration)
	}
	if out.ObjectLockConfiguration.Rule == nil {
		return fakedriver.Retention{}
	}
	d := out.ObjectLockConfiguration.Rule.DefaultRetention
	return fakedriver.Retention{
		Mode: fakedriver.RetentionMode(d.Mode), Days: int(aws.ToInt32(d.Days)), Years: int(aws.ToInt32(d.Years)),
	}
}

//nolint:lll // one case a line
func TestLockConfiguration(t *testing.T) {
	class := fakedriver.Retention{Mode: fakedriver.RetentionGovernance, Days: 30}
	a := s3test.NewApp(t, lockable, func(b *fakedriver.BucketSpec) { b.DefaultRetention = class })
	if got := defaultRetention(a); got != class {
		t.Errorf("the default retention is %+v, want the class's %+v", got, class)
	}
	application := *a
	a.Key = a.Store.Admin(t)
	document := func(rule string) string {
		return "<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled>" + rule + "</ObjectLockConfiguration>"
	}
	rule := func(inner string) string {
		return document("<Rule><DefaultRetention>" + inner + "</DefaultRetention></Rule>")
	}
	tests := map[string]struct {
		reason, body string
		want         string
		after        fakedriver.Retention
	}{
		"Years":    {"A rule.", rule("<Mode>COMPLIANCE</Mode><Years>2</Years>"), "", fakedriver.Retention{Mode: "COMPLIANCE", Years: 2}},
		"Days":     {"A rule.", rule("<Mode>GOVERNANCE</Mode><Days>1</Days>"), "", fakedriver.Retention{Mode: "GOVERNANCE", Days: 1}},
		"NoRule":   {"It can be ended.", document(""), "", fakedriver.Retention{}},
		"Both":     {"Which one counts?", rule("<Mode>GOVERNANCE</Mode><Days>1</Days><Years>1</Years>"), "MalformedXML", class},
		"Neither":  {"For how long?", rule("<Mode>GOVERNANCE</Mode>"), "MalformedXML", class},
		"NoMode":   {"How strictly?", rule("<Days>1</Days>"), "MalformedXML", class},
		"Mode":     {"No such mode.", rule("<Mode>governance</Mode><Days>1</Days>"), "MalformedXML", class},
		"Zero":     {"At least one.", rule("<Mode>GOVERNANCE</Mode><Days>0</Days>"), "InvalidRetentionPeriod", class},
		"Negative": {"At least one.", rule("<Mode>GOVERNANCE</Mode><Years>-1</Years>"), "InvalidRetentionPeriod", class},
		"Long":     {"At most 100.", rule("<Mode>GOVERNANCE</Mode><Years>101</Years>"), "InvalidRetentionPeriod", class},
		"Disabled": {"It stays enabled.", strings.Replace(document(""), "Enabled<", "Disabled<", 1), "MalformedXML", class},
		"NoXML":    {"It is none.", "x", "MalformedXML", class},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			a := a.In(t)
			first := rule("<Mode>GOVERNANCE</Mode><Days>30</Days>")
			a.Document(http.MethodPut, "?object-lock", first)
			got, found := a.Document(http.MethodPut, "?object-lock", tc.body), ""
			if got.Status != http.StatusOK {
				found = s3test.Code(t, got.Body)
			}
			if after := defaultRetention(&application); found != tc.want || after != tc.after {
				t.Errorf("%s\nanswer %d %q, want %q; then %+v", tc.reason, got.Status, found, tc.want, after)
			}
		})
	}
	if got := application.Document(http.MethodPut, "?object-lock", document("")); got.Status != 403 {
		t.Errorf("an application: answer %d: %s", got.Status, got.Body)
	}
	if got := a.Raw(http.MethodPut, "?versioning", "<VersioningConfiguration><Status>Suspended</Status></VersioningConfiguration>"); got.Status != 409 || s3test.Code(t, got.Body) != "InvalidBucketState" {
		t.Errorf("suspending versioning: answer %d: %s", got.Status, got.Body)
	}
}

// TestLockDigest: content to be locked requires a digest.
func TestLockDigest(t *testing.T) {
	a := s3test.NewApp(t, lockable)
	until := tomorrow().Format(time.RFC3339)
	lock := []string{"X-Amz-Object-Lock-Mode", "GOVERNANCE", "X-Amz-Object-Lock-Retain-Until-Date", until}
	u := a.Begin("parts", func(in *s3.CreateMultipartUploadInput) { in.ObjectLockLegalHoldStatus = "ON" })
	hold := "<LegalHold><Status>OFF</Status></LegalHold>"
	a.Put("k", "content")
	tests := map[string]struct {
		reason, target, body string
		header               []string
	}{
		"Put":       {"It is locked.", "/new", "content", lock},
		"Part":      {"Its object will be locked.", "/parts?partNumber=1&uploadId=" + *u.UploadId, "content", nil},
		"LegalHold": {"Documents are small, but matter.", "/k?legal-hold", hold, nil},
		"Retention": {"Documents are small, but matter.", "/k?retention", "<Retention/>", nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			a := a.In(t)
			if got := a.Raw(http.MethodPut, tc.target, tc.body, tc.header...); got.Status != 400 || s3test.Code(t, got.Body) != "InvalidRequest" {
				t.Errorf("%s\nwithout a digest: answer %d: %s", tc.reason, got.Status, got.Body)
			}
			for _, digest := range [][]string{
				{"Content-Md5", s3test.MD5Of(tc.body)}, {"X-Amz-Checksum-Sha256", s3test.ChecksumOf("SHA256", tc.body)},
			} {
				if got := a.Raw(http.MethodPut, tc.target, tc.body, append(digest, tc.header...)...); got.Status != http.StatusOK {
					t.Errorf("%s\nwith %s: answer %d: %s", tc.reason, digest[0], got.Status, got.Body)
				}
			}
			got := a.Raw(http.MethodPut, tc.target, tc.body, append(tc.header, "Content-Md5", s3test.MD5Of("trap"))...)
			if s3test.Code(t, got.Body) != "BadDigest" {
				t.Errorf("%s\nwith a wrong digest: answer %d: %s", tc.reason, got.Status, got.Body)
			}
		})
	}
	got := a.Raw(http.MethodPut, "/new", "content", append(lock, "X-Amz-Trailer", "x-amz-checksum-crc32")...)
	if s3test.Code(t, got.Body) != "InvalidRequest" {
		t.Errorf("with a trailer that cannot follow: answer %d: %s", got.Status, got.Body)
	}
	if got := a.Raw(http.MethodPut, "/free", "content"); got.Status != http.StatusOK {
		t.Errorf("what is not locked: answer %d: %s", got.Status, got.Body)
	}
}

//nolint:lll // one case a line
func TestLockRejected(t *testing.T) {
	a := s3test.NewApp(t, lockable)
	a.Put("k", "content")
	const mode, until, hold = "X-Amz-Object-Lock-Mode", "X-Amz-Object-Lock-Retain-Until-Date", "X-Amz-Object-Lock-Legal-Hold"
	future, past := tomorrow().Format(time.RFC3339), "2020-01-01T00:00:00Z"
	retention := func(mode, until string) string {
		return "<Retention><Mode>" + mode + "</Mode><RetainUntilDate>" + until + "</RetainUntilDate></Retention>"
	}
	tests := map[string]struct {
		reason, target, body string
		header               []string
		want                 string
	}{
		"ModeAlone":      {"Until when?", "/new", "", []string{mode, "GOVERNANCE"}, "InvalidArgument"},
		"UntilAlone":     {"How strictly?", "/new", "", []string{until, future}, "InvalidArgument"},
		"Mode":           {"There is none.", "/new", "", []string{mode, "governance", until, future}, "InvalidArgument"},
		"Past":           {"It would not protect.", "/new", "", []string{mode, "GOVERNANCE", until, past}, "InvalidArgument"},
		"YearOfFive":     {"In UTC it is in the year 10000, which no client can read.", "/new", "", []string{mode, "GOVERNANCE", until, "9999-12-31T23:59:59-01:00"}, "InvalidArgument"},
		"NoDate":         {"It cannot be read.", "/new", "", []string{mode, "GOVERNANCE", until, "tomorrow"}, "InvalidArgument"},
		"Hold":           {"ON or OFF.", "/new", "", []string{hold, "on"}, "InvalidArgument"},
		"DocumentMode":   {"There is none.", "/k?retention", retention("governance", future), nil, "MalformedXML"},
		"DocumentPast":   {"It would not protect.", "/k?retention", retention("GOVERNANCE", past), nil, "InvalidArgument"},
		"DocumentNoDate": {"Until when?", "/k?retention", "<Retention><Mode>GOVERNANCE</Mode></Retention>", nil, "MalformedXML"},
		"DocumentNoMode": {"How strictly?", "/k?retention", "<Retention><RetainUntilDate>" + future + "</RetainUntilDate></Retention>", nil, "MalformedXML"},
		"DocumentHold":   {"ON or OFF.", "/k?legal-hold", "<LegalHold><Status>abc</Status></LegalHold>", nil, "MalformedXML"},
		"NoXML":          {"It is none.", "/k?legal-hold", "ON", nil, "MalformedXML"},
		"NoKey":          {"There is no object.", "/missing?legal-hold", "<LegalHold><Status>ON</Status></LegalHold>", nil, "NoSuchKey"},
		"NoVersion":      {"There is no such version.", "/k?versionId=" + s3test.NoVersion + "&retention", retention("GOVERNANCE", future), nil, "NoSuchVersion"},
		"OddVersion":     {"No version has such an ID.", "/k?versionId=x&retention", retention("GOVERNANCE", future), nil, "InvalidArgument"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := a.In(t).Document(http.MethodPut, tc.target, tc.body, tc.header...)
			if found := s3test.Code(t, got.Body); found != tc.want {
				t.Errorf("%s\nanswer %d %s, want %s", tc.reason, got.Status, found, tc.want)
			}
		})
	}
	if got := lockOf(a, "k"); got != [3]string{} {
		t.Errorf("the object has the lock %v", got)
	}
}

// TestBucketWithoutLock: nothing is locked, and no request for a lock is ignored.
func TestBucketWithoutLock(t *testing.T) {
	a := s3test.NewApp(t, s3test.Versioned)
	a.Put("k", "content")
	hold := "<LegalHold><Status>ON</Status></LegalHold>"
	retention := "<Retention><Mode>GOVERNANCE</Mode><RetainUntilDate>2100-01-01T00:00:00Z</RetainUntilDate></Retention>"
	header := []string{"X-Amz-Object-Lock-Legal-Hold", "ON"}
	for name, got := range map[string]s3test.Answer{
		"PutObject":             a.Document(http.MethodPut, "/new", "content", header...),
		"CopyObject":            a.Raw(http.MethodPut, "/new", "", append(header, "X-Amz-Copy-Source", "photos/k")...),
		"CreateMultipartUpload": a.Raw(http.MethodPost, "/new?uploads", "", header...),
		"PutObjectLegalHold":    a.Document(http.MethodPut, "/k?legal-hold", hold),
		"PutObjectRetention":    a.Document(http.MethodPut, "/k?retention", retention),
		"GetObjectLegalHold":    a.Raw(http.MethodGet, "/k?legal-hold", ""),
		"GetObjectRetention":    a.Raw(http.MethodGet, "/k?retention", ""),
	} {
		const says = "Bucket is missing Object Lock Configuration"
		if got.Status != 400 || s3test.Code(t, got.Body) != "InvalidRequest" || !strings.Contains(got.Body, says) {
			t.Errorf("%s answered %d: %s", name, got.Status, got.Body)
		}
	}
	got := a.Raw(http.MethodGet, "?object-lock", "")
	if got.Status != 404 || s3test.Code(t, got.Body) != "ObjectLockConfigurationNotFoundError" {
		t.Errorf("GetObjectLockConfiguration answered %d: %s", got.Status, got.Body)
	}
	if got := a.Raw(http.MethodHead, "/new", ""); got.Status != 404 {
		t.Errorf("a rejected upload is there: %d", got.Status)
	}
}

// TestLockReopened: locks, and the locks of unfinished uploads, survive a restart.
func TestLockReopened(t *testing.T) {
	dir := t.TempDir()
	until := tomorrow()
	var u *s3.CreateMultipartUploadOutput
	open := func(t *testing.T) *s3test.App {
		t.Helper()
		s := s3test.Serve(t, s3test.Options{Dir: dir})
		s.Bucket(t, "photos", lockable, func(b *fakedriver.BucketSpec) {
			b.DefaultRetention = fakedriver.Retention{Mode: fakedriver.RetentionCompliance, Days: 1}
		})
		key := s.Account(t, "app", s3test.AllAccess("photos"))
		return &s3test.App{T: t, Store: s, S3: s.Client(t, key), Bucket: new("photos"), Key: key}
	}
	t.Run("First", func(t *testing.T) {
		a := open(t)
		a.Put("k", "content", retained("GOVERNANCE", until))
		holdObject(a, "k", "ON")
		u = a.Begin("parts", func(in *s3.CreateMultipartUploadInput) {
			in.ObjectLockMode, in.ObjectLockRetainUntilDate = "GOVERNANCE", &until
		})
	})
	a := open(t)
	if diff := cmp.Diff([3]string{"GOVERNANCE", until.Format("2006-01-02T15:04:05.000Z"), "ON"}, lockOf(a, "k")); diff != "" {
		t.Errorf("the object: -want, +got:\n%s", diff)
	}
	_, err := a.Complete(u, a.Part(u, 1, "part"))
	a.Must(err)
	if diff := cmp.Diff([3]string{"GOVERNANCE", until.Format("2006-01-02T15:04:05.000Z"), ""}, lockOf(a, "parts")); diff != "" {
		t.Errorf("the upload: -want, +got:\n%s", diff)
	}
	a.Put("default", "content")
	if got := lockOf(a, "default"); got[0] != "COMPLIANCE" {
		t.Errorf("the default retention has gone: %v", got)
	}
	a.Rejected("after the restart", eraseVersion(a, "k", *a.Head("k", "").VersionId, true), "AccessDenied")
}

// TestLockedBucketDeleted: the class decides whether a bucket is deleted with its contents, locked
// or not; and an administrator can empty it.
func TestLockedBucketDeleted(t *testing.T) {
	for name, purge := range map[string]bool{"reject": false, "purge": true} {
		t.Run(name, func(t *testing.T) {
			a := s3test.NewApp(t, lockable, func(b *fakedriver.BucketSpec) { b.Purge = purge })
			a.Put("k", "content", retained("COMPLIANCE", tomorrow()))
			err := a.Store.DeleteBucket(t.Context(), s3test.Owner, "photos")
			if (err == nil) != purge {
				t.Errorf("DeleteBucket() = %v", err)
			}
			if purge {
				return
			}
			a.Must(a.Store.EmptyBucket(t.Context(), "photos"))
			a.Must(a.Store.DeleteBucket(t.Context(), s3test.Owner, "photos"))
		})
	}
}
