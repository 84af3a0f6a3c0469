package store_test

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
	"github.com/cosi-emu/cosi-emu/internal/store"
)

func lockable(b *fakedriver.BucketSpec) { b.ObjectLock = true }

// tomorrow is a time that S3 shows unchanged.
func tomorrow() time.Time { return time.Now().UTC().Add(24 * time.Hour).Truncate(time.Millisecond) }

func retained(mode types.ObjectLockMode, until time.Time) func(*s3.PutObjectInput) {
	return func(in *s3.PutObjectInput) { in.ObjectLockMode, in.ObjectLockRetainUntilDate = mode, &until }
}

func (a *app) retain(key, version string, mode types.ObjectLockRetentionMode, until time.Time, bypass bool) error {
	a.Helper()
	retention := &types.ObjectLockRetention{Mode: mode, RetainUntilDate: &until}
	if mode == "" {
		retention = &types.ObjectLockRetention{}
	}
	_, err := a.s3.PutObjectRetention(a.Context(), &s3.PutObjectRetentionInput{
		Bucket: a.bucket, Key: &key, VersionId: optional(version), Retention: retention, BypassGovernanceRetention: &bypass,
	})
	return err
}

func (a *app) hold(key string, status types.ObjectLockLegalHoldStatus) {
	a.Helper()
	_, err := a.s3.PutObjectLegalHold(a.Context(), &s3.PutObjectLegalHoldInput{
		Bucket: a.bucket, Key: &key, LegalHold: &types.ObjectLockLegalHold{Status: status},
	})
	a.must(err)
}

func (a *app) erase(key, version string, bypass bool) error {
	a.Helper()
	_, err := a.s3.DeleteObject(a.Context(), &s3.DeleteObjectInput{
		Bucket: a.bucket, Key: &key, VersionId: &version, BypassGovernanceRetention: &bypass,
	})
	return err
}

// lock returns the lock of an object in the response to HEAD.
func (a *app) lock(key string) (lock [3]string) {
	a.Helper()
	header := a.raw(http.MethodHead, "/"+key, "").header
	for i, name := range []string{"Mode", "Retain-Until-Date", "Legal-Hold"} {
		lock[i] = header.Get("X-Amz-Object-Lock-" + name)
	}
	return lock
}

// TestObjectLock: an object that was locked in any way is shown and protected as locked.
func TestObjectLock(t *testing.T) {
	a := newApp(t, lockable)
	until := tomorrow()
	want := [3]string{"COMPLIANCE", until.Format("2006-01-02T15:04:05.000Z"), "ON"}
	a.put("put", "content", retained("COMPLIANCE", until), func(in *s3.PutObjectInput) { in.ObjectLockLegalHoldStatus = "ON" })
	_, err := a.s3.CopyObject(t.Context(), &s3.CopyObjectInput{
		Bucket: a.bucket, Key: ptr("copy"), CopySource: ptr("photos/put"),
		ObjectLockMode: "COMPLIANCE", ObjectLockRetainUntilDate: &until, ObjectLockLegalHoldStatus: "ON",
	})
	a.must(err)
	u := a.begin("parts", func(in *s3.CreateMultipartUploadInput) {
		in.ObjectLockMode, in.ObjectLockRetainUntilDate, in.ObjectLockLegalHoldStatus = "COMPLIANCE", &until, "ON"
	})
	_, err = a.complete(u, a.part(u, 1, "part"))
	a.must(err)
	a.put("later", "content")
	a.must(a.retain("later", "", "COMPLIANCE", until, false))
	a.hold("later", "ON")
	for _, key := range []string{"put", "copy", "parts", "later"} {
		if diff := cmp.Diff(want, a.lock(key)); diff != "" {
			t.Errorf("%s: -want, +got:\n%s", key, diff)
		}
		retention, err := a.s3.GetObjectRetention(t.Context(), &s3.GetObjectRetentionInput{Bucket: a.bucket, Key: &key})
		a.must(err)
		hold, err := a.s3.GetObjectLegalHold(t.Context(), &s3.GetObjectLegalHoldInput{Bucket: a.bucket, Key: &key})
		a.must(err)
		if retention.Retention.Mode != "COMPLIANCE" || !retention.Retention.RetainUntilDate.Equal(until) || hold.LegalHold.Status != "ON" {
			t.Errorf("%s: retention %+v, legal hold %+v", key, retention.Retention, hold.LegalHold)
		}
		a.rejected(key+" with a legal hold", a.erase(key, *a.head(key, "").VersionId, true), "AccessDenied")
		a.hold(key, "OFF")
		a.rejected(key+" without", a.erase(key, *a.head(key, "").VersionId, true), "AccessDenied")
		if got := a.lock(key)[2]; got != "OFF" {
			t.Errorf("%s: the legal hold is %q", key, got)
		}
	}
	_, err = a.s3.CopyObject(t.Context(), &s3.CopyObjectInput{Bucket: a.bucket, Key: ptr("free"), CopySource: ptr("photos/put")})
	a.must(err)
	if got := a.lock("free"); got != [3]string{} {
		t.Errorf("a copy has the lock of its source: %v", got)
	}
	for _, target := range []string{"/free?retention", "/free?legal-hold"} {
		if got := a.raw(http.MethodGet, target, ""); got.status != 404 || code(t, got.body) != "NoSuchObjectLockConfiguration" {
			t.Errorf("GET %s answered %d: %s", target, got.status, got.body)
		}
	}
	a.must(a.erase("free", *a.head("free", "").VersionId, false))
}

// TestLockedObjectDeleted: a deletion without version hides the object, and its marker can be
// deleted.
func TestLockedObjectDeleted(t *testing.T) {
	a := newApp(t, lockable)
	id := *a.put("k", "content", retained("GOVERNANCE", tomorrow())).VersionId
	a.put("k", "newer")
	marker := a.remove("k", "")
	if !aws.ToBool(marker.DeleteMarker) {
		t.Errorf("DeleteObject() without version = %+v", marker)
	}
	a.must(a.erase("k", *marker.VersionId, false))
	a.rejected("DeleteObject()", a.erase("k", id, false), "AccessDenied")
	many := func(bypass bool) *s3.DeleteObjectsOutput {
		out, err := a.s3.DeleteObjects(t.Context(), &s3.DeleteObjectsInput{
			Bucket: a.bucket, BypassGovernanceRetention: &bypass, Delete: &types.Delete{Objects: []types.ObjectIdentifier{
				{Key: ptr("k"), VersionId: &id}, {Key: ptr("other")},
			}},
		})
		a.must(err)
		return out
	}
	if out := many(false); len(out.Errors) != 1 || *out.Errors[0].Code != "AccessDenied" || len(out.Deleted) != 1 {
		t.Errorf("DeleteObjects() = %+v, %+v", out.Errors, out.Deleted)
	}
	if content, _ := a.read("k", id); content != "content" {
		t.Errorf("the object is %q", content)
	}
	if out := many(true); len(out.Errors) != 0 || len(out.Deleted) != 2 {
		t.Errorf("DeleteObjects() with bypass = %+v, %+v", out.Errors, out.Deleted)
	}
}

// TestBypassGovernance: a key may bypass the mode GOVERNANCE if it may write the data and the
// metadata of objects, and an administrator may bypass all.
func TestBypassGovernance(t *testing.T) {
	a := newApp(t, lockable)
	with := func(id string, grant fakedriver.Grant) *app {
		b := *a
		grant.Bucket = "photos"
		b.key = a.store.account(t, id, grant)
		b.s3 = a.store.client(t, b.key)
		return &b
	}
	write := fakedriver.WriteOnly
	data := with("data", fakedriver.Grant{ObjectData: write, BucketMetadata: write})
	metadata := with("metadata", fakedriver.Grant{ObjectMetadata: write, BucketMetadata: write})
	both := with("both", fakedriver.Grant{ObjectData: write, ObjectMetadata: write})
	admin := *a
	admin.key = a.store.administrator(t)
	admin.s3 = a.store.client(t, admin.key)
	id := *a.put("k", "content", retained("GOVERNANCE", tomorrow())).VersionId

	a.rejected("PutObject with a lock by data", func() error {
		_, err := data.s3.PutObject(t.Context(), &s3.PutObjectInput{Bucket: a.bucket, Key: ptr("new"), ObjectLockLegalHoldStatus: "ON"})
		return err
	}(), "AccessDenied")
	a.rejected("PutObjectRetention by data", data.retain("k", id, "GOVERNANCE", tomorrow().Add(time.Hour), false), "AccessDenied")
	a.rejected("DeleteObject by data", data.erase("k", id, true), "AccessDenied")
	a.rejected("DeleteObject by metadata", metadata.erase("k", id, true), "AccessDenied")
	a.rejected("a longer retention by metadata", metadata.retain("k", id, "GOVERNANCE", tomorrow().Add(time.Hour), false), "")
	a.rejected("no retention by metadata", metadata.retain("k", id, "", time.Time{}, true), "AccessDenied")
	a.rejected("DeleteObject by both, without the header", both.erase("k", id, false), "AccessDenied")
	a.rejected("no retention by both", both.retain("k", id, "", time.Time{}, true), "")
	a.rejected("a retention again", both.retain("k", id, "GOVERNANCE", tomorrow(), false), "")
	a.rejected("DeleteObject by both", both.erase("k", id, true), "")

	id = *a.put("k", "content", retained("COMPLIANCE", tomorrow())).VersionId
	a.rejected("COMPLIANCE by both", both.erase("k", id, true), "AccessDenied")
	a.rejected("COMPLIANCE by an administrator, without the header", admin.erase("k", id, false), "AccessDenied")
	a.rejected("COMPLIANCE by an administrator", admin.erase("k", id, true), "")
}

// TestRetentionEnds uses the store's clock, not the system's.
func TestRetentionEnds(t *testing.T) {
	var late atomic.Int64
	s := serve(t, store.Options{Now: func() time.Time { return time.Now().Add(time.Duration(late.Load())) }})
	s.bucket(t, "records", lockable)
	key := s.account(t, "app", allAccess("records"))
	a := &app{T: t, store: s, s3: s.client(t, key), bucket: ptr("records"), key: key}
	id := *a.put("k", "content", retained("COMPLIANCE", time.Now().Add(10*time.Minute))).VersionId
	a.rejected("before its end", a.erase("k", id, false), "AccessDenied")
	late.Store(int64(11 * time.Minute)) // signatures are valid for 15 minutes
	a.rejected("after its end", a.erase("k", id, false), "")
}

// defaultRetention returns the default retention of the bucket from GetObjectLockConfiguration.
func (a *app) defaultRetention() fakedriver.Retention {
	a.Helper()
	out, err := a.s3.GetObjectLockConfiguration(a.Context(), &s3.GetObjectLockConfigurationInput{Bucket: a.bucket})
	a.must(err)
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
	a := newApp(t, lockable, func(b *fakedriver.BucketSpec) { b.DefaultRetention = class })
	if got := a.defaultRetention(); got != class {
		t.Errorf("the default retention is %+v, want the class's %+v", got, class)
	}
	application := *a
	a.key = a.store.administrator(t)
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
			a := a.in(t)
			first := rule("<Mode>GOVERNANCE</Mode><Days>30</Days>")
			a.raw(http.MethodPut, "?object-lock", first, "Content-Md5", md5Of(first))
			got, found := a.raw(http.MethodPut, "?object-lock", tc.body, "Content-Md5", md5Of(tc.body)), ""
			if got.status != http.StatusOK {
				found = code(t, got.body)
			}
			if after := application.defaultRetention(); found != tc.want || after != tc.after {
				t.Errorf("%s\nanswer %d %q, want %q; then %+v", tc.reason, got.status, found, tc.want, after)
			}
		})
	}
	if got := application.raw(http.MethodPut, "?object-lock", document(""), "Content-Md5", md5Of(document(""))); got.status != 403 {
		t.Errorf("an application: answer %d: %s", got.status, got.body)
	}
	if got := a.raw(http.MethodPut, "?versioning", "<VersioningConfiguration><Status>Suspended</Status></VersioningConfiguration>"); got.status != 409 || code(t, got.body) != "InvalidBucketState" {
		t.Errorf("suspending versioning: answer %d: %s", got.status, got.body)
	}
}

// TestLockDigest: content to be locked requires a digest.
func TestLockDigest(t *testing.T) {
	a := newApp(t, lockable)
	until := tomorrow().Format(time.RFC3339)
	lock := []string{"X-Amz-Object-Lock-Mode", "GOVERNANCE", "X-Amz-Object-Lock-Retain-Until-Date", until}
	u := a.begin("parts", func(in *s3.CreateMultipartUploadInput) { in.ObjectLockLegalHoldStatus = "ON" })
	hold := "<LegalHold><Status>OFF</Status></LegalHold>"
	a.put("k", "content")
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
			a := a.in(t)
			if got := a.raw(http.MethodPut, tc.target, tc.body, tc.header...); got.status != 400 || code(t, got.body) != "InvalidRequest" {
				t.Errorf("%s\nwithout a digest: answer %d: %s", tc.reason, got.status, got.body)
			}
			for _, digest := range [][]string{{"Content-Md5", md5Of(tc.body)}, {"X-Amz-Checksum-Sha256", checksumOf("SHA256", tc.body)}} {
				if got := a.raw(http.MethodPut, tc.target, tc.body, append(digest, tc.header...)...); got.status != http.StatusOK {
					t.Errorf("%s\nwith %s: answer %d: %s", tc.reason, digest[0], got.status, got.body)
				}
			}
			got := a.raw(http.MethodPut, tc.target, tc.body, append(tc.header, "Content-Md5", md5Of("trap"))...)
			if code(t, got.body) != "BadDigest" {
				t.Errorf("%s\nwith a wrong digest: answer %d: %s", tc.reason, got.status, got.body)
			}
		})
	}
	got := a.raw(http.MethodPut, "/new", "content", append(lock, "X-Amz-Trailer", "x-amz-checksum-crc32")...)
	if code(t, got.body) != "InvalidRequest" {
		t.Errorf("with a trailer that cannot follow: answer %d: %s", got.status, got.body)
	}
	if got := a.raw(http.MethodPut, "/free", "content"); got.status != http.StatusOK {
		t.Errorf("what is not locked: answer %d: %s", got.status, got.body)
	}
}

//nolint:lll // one case a line
func TestLockRejected(t *testing.T) {
	a := newApp(t, lockable)
	a.put("k", "content")
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
		"NoVersion":      {"There is no such version.", "/k?versionId=x&retention", retention("GOVERNANCE", future), nil, "NoSuchVersion"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := a.in(t).raw(http.MethodPut, tc.target, tc.body, append(tc.header, "Content-Md5", md5Of(tc.body))...)
			if found := code(t, got.body); found != tc.want {
				t.Errorf("%s\nanswer %d %s, want %s", tc.reason, got.status, found, tc.want)
			}
		})
	}
	if got := a.lock("k"); got != [3]string{} {
		t.Errorf("the object has the lock %v", got)
	}
}

// TestBucketWithoutLock: nothing is locked, and no request for a lock is ignored.
func TestBucketWithoutLock(t *testing.T) {
	a := newApp(t, versioned)
	a.put("k", "content")
	hold := "<LegalHold><Status>ON</Status></LegalHold>"
	retention := "<Retention><Mode>GOVERNANCE</Mode><RetainUntilDate>2100-01-01T00:00:00Z</RetainUntilDate></Retention>"
	header := []string{"X-Amz-Object-Lock-Legal-Hold", "ON"}
	for name, got := range map[string]answer{
		"PutObject":             a.raw(http.MethodPut, "/new", "content", append(header, "Content-Md5", md5Of("content"))...),
		"CopyObject":            a.raw(http.MethodPut, "/new", "", append(header, "X-Amz-Copy-Source", "photos/k")...),
		"CreateMultipartUpload": a.raw(http.MethodPost, "/new?uploads", "", header...),
		"PutObjectLegalHold":    a.raw(http.MethodPut, "/k?legal-hold", hold, "Content-Md5", md5Of(hold)),
		"PutObjectRetention":    a.raw(http.MethodPut, "/k?retention", retention, "Content-Md5", md5Of(retention)),
		"GetObjectLegalHold":    a.raw(http.MethodGet, "/k?legal-hold", ""),
		"GetObjectRetention":    a.raw(http.MethodGet, "/k?retention", ""),
	} {
		const says = "Bucket is missing Object Lock Configuration"
		if got.status != 400 || code(t, got.body) != "InvalidRequest" || !strings.Contains(got.body, says) {
			t.Errorf("%s answered %d: %s", name, got.status, got.body)
		}
	}
	if got := a.raw(http.MethodGet, "?object-lock", ""); got.status != 404 || code(t, got.body) != "ObjectLockConfigurationNotFoundError" {
		t.Errorf("GetObjectLockConfiguration answered %d: %s", got.status, got.body)
	}
	if got := a.raw(http.MethodHead, "/new", ""); got.status != 404 {
		t.Errorf("a rejected upload is there: %d", got.status)
	}
}

// TestLockReopened: locks, and the locks of unfinished uploads, survive a restart.
func TestLockReopened(t *testing.T) {
	dir := t.TempDir()
	until := tomorrow()
	var u *s3.CreateMultipartUploadOutput
	open := func(t *testing.T) *app {
		t.Helper()
		s := serve(t, store.Options{Dir: dir})
		s.bucket(t, "photos", lockable, func(b *fakedriver.BucketSpec) {
			b.DefaultRetention = fakedriver.Retention{Mode: fakedriver.RetentionCompliance, Days: 1}
		})
		key := s.account(t, "app", allAccess("photos"))
		return &app{T: t, store: s, s3: s.client(t, key), bucket: ptr("photos"), key: key}
	}
	t.Run("First", func(t *testing.T) {
		a := open(t)
		a.put("k", "content", retained("GOVERNANCE", until))
		a.hold("k", "ON")
		u = a.begin("parts", func(in *s3.CreateMultipartUploadInput) {
			in.ObjectLockMode, in.ObjectLockRetainUntilDate = "GOVERNANCE", &until
		})
	})
	a := open(t)
	if diff := cmp.Diff([3]string{"GOVERNANCE", until.Format("2006-01-02T15:04:05.000Z"), "ON"}, a.lock("k")); diff != "" {
		t.Errorf("the object: -want, +got:\n%s", diff)
	}
	_, err := a.complete(u, a.part(u, 1, "part"))
	a.must(err)
	if diff := cmp.Diff([3]string{"GOVERNANCE", until.Format("2006-01-02T15:04:05.000Z"), ""}, a.lock("parts")); diff != "" {
		t.Errorf("the upload: -want, +got:\n%s", diff)
	}
	a.put("default", "content")
	if got := a.lock("default"); got[0] != "COMPLIANCE" {
		t.Errorf("the default retention has gone: %v", got)
	}
	a.rejected("after the restart", a.erase("k", *a.head("k", "").VersionId, true), "AccessDenied")
}

// TestLockedBucketDeleted: the class decides whether a bucket is deleted with its contents, locked
// or not; and an administrator can empty it.
func TestLockedBucketDeleted(t *testing.T) {
	for name, purge := range map[string]bool{"reject": false, "purge": true} {
		t.Run(name, func(t *testing.T) {
			a := newApp(t, lockable, func(b *fakedriver.BucketSpec) { b.Purge = purge })
			a.put("k", "content", retained("COMPLIANCE", tomorrow()))
			err := a.store.DeleteBucket(t.Context(), owner, "photos")
			if (err == nil) != purge {
				t.Errorf("DeleteBucket() = %v", err)
			}
			if purge {
				return
			}
			a.must(a.store.EmptyBucket(t.Context(), "photos"))
			a.must(a.store.DeleteBucket(t.Context(), owner, "photos"))
		})
	}
}
