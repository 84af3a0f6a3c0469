package store_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/store"
)

// corsRules are the rules of most tests: the first match wins.
func corsRules() []types.CORSRule {
	return []types.CORSRule{
		{
			ID: ptr("uploads"), AllowedOrigins: []string{"https://app.example.com", "https://*.example.org"}, AllowedMethods: []string{"PUT", "POST"},
			AllowedHeaders: []string{"Content-*", "x-amz-meta-colour"}, ExposeHeaders: []string{"ETag", "x-amz-version-id"},
			MaxAgeSeconds: aws.Int32(600),
		},
		{AllowedOrigins: []string{"https://app.example.com"}, AllowedMethods: []string{"PUT", "GET"}, AllowedHeaders: []string{"*"}},
		{AllowedOrigins: []string{"*"}, AllowedMethods: []string{"GET", "HEAD"}, MaxAgeSeconds: aws.Int32(0)},
	}
}

func (a *app) setCORS(rules []types.CORSRule) error {
	_, err := a.s3.PutBucketCors(a.Context(), &s3.PutBucketCorsInput{
		Bucket: a.bucket, CORSConfiguration: &types.CORSConfiguration{CORSRules: rules},
	})
	return err
}

func corsOf(t *testing.T, c *s3.Client) []types.CORSRule {
	t.Helper()
	out, err := c.GetBucketCors(t.Context(), &s3.GetBucketCorsInput{Bucket: ptr("photos")})
	if err != nil {
		t.Fatal(err)
	}
	return out.CORSRules
}

func diffRules(want, got []types.CORSRule) string {
	return cmp.Diff(want, got, cmpopts.IgnoreUnexported(types.CORSRule{}), cmpopts.EquateEmpty())
}

func TestBucketCORS(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	s := serve(t, store.Options{Dir: dir})
	s.bucket(t, "photos")
	a := &app{T: t, store: s, s3: s.client(t, s.account(t, "app", allAccess("photos"))), bucket: ptr("photos")}
	_, err := a.s3.GetBucketCors(t.Context(), &s3.GetBucketCorsInput{Bucket: a.bucket})
	a.rejected("before there is one", err, "NoSuchCORSConfiguration")
	a.must(a.setCORS([]types.CORSRule{{AllowedOrigins: []string{"*"}, AllowedMethods: []string{"DELETE"}}}))
	a.must(a.setCORS(corsRules()))
	if diff := diffRules(corsRules(), corsOf(t, a.s3)); diff != "" {
		t.Errorf("-put, +got:\n%s", diff)
	}
	image, thaw, err := s.Freeze(t.Context())
	a.must(err)
	thaw()
	copied := filepath.Join(t.TempDir(), "image")
	a.must(image.Write(copied))
	image.Release()
	a.must(s.Close())
	for _, dir := range []string{dir, copied} {
		restored := serve(t, store.Options{Dir: dir})
		c := restored.client(t, restored.account(t, "app", allAccess("photos")))
		if diff := diffRules(corsRules(), corsOf(t, c)); diff != "" {
			t.Errorf("after a restart from %s: -put, +got:\n%s", filepath.Base(dir), diff)
		}
		a := a.in(t)
		a.store, a.s3 = restored, c
		_, err = c.DeleteBucketCors(t.Context(), &s3.DeleteBucketCorsInput{Bucket: a.bucket})
		a.must(err)
		_, err = c.GetBucketCors(t.Context(), &s3.GetBucketCorsInput{Bucket: a.bucket})
		a.rejected("after it was deleted", err, "NoSuchCORSConfiguration")
		a.must(a.setCORS(corsRules()))
		a.must(restored.DeleteBucket(t.Context(), owner, "photos"))
		restored.bucket(t, "photos")
		again := restored.client(t, restored.account(t, "again", allAccess("photos")))
		_, err = again.GetBucketCors(t.Context(), &s3.GetBucketCorsInput{Bucket: a.bucket})
		a.rejected("a later bucket of that name", err, "NoSuchCORSConfiguration")
	}
}

//nolint:lll // one case a line
func TestBucketCORSRejections(t *testing.T) {
	a := newApp(t)
	a.must(a.setCORS(corsRules()))
	rule := func(elements string) string {
		return "<CORSRule><AllowedOrigin>https://a</AllowedOrigin><AllowedMethod>GET</AllowedMethod>" + elements + "</CORSRule>"
	}
	document := func(rules string) string {
		return `<CORSConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/">` + rules + "</CORSConfiguration>"
	}
	tests := map[string]struct {
		reason string
		body   string
		want   string
		says   string
	}{
		"Nothing":      {"No document.", "", "MalformedXML", ""},
		"NoXML":        {"No document.", "{}", "MalformedXML", ""},
		"OtherXML":     {"Another document.", "<Tagging/>", "MalformedXML", ""},
		"NoRules":      {"DeleteBucketCors is for that.", document(""), "MalformedXML", ""},
		"ManyRules":    {"One too many.", document(strings.Repeat(rule(""), 101)), "InvalidRequest", "100 rules"},
		"LongDocument": {"Few rules, of many bytes.", document(strings.Repeat(rule("<AllowedHeader>"+strings.Repeat("a", 700)+"</AllowedHeader>"), 99)), "InvalidRequest", "65536 bytes"},
		"NoOrigin":     {"Required.", document("<CORSRule><AllowedMethod>GET</AllowedMethod></CORSRule>"), "MalformedXML", ""},
		"EmptyOrigin":  {"It would match all.", document(rule("<AllowedOrigin></AllowedOrigin>")), "MalformedXML", ""},
		"NoMethod":     {"Required.", document("<CORSRule><AllowedOrigin>*</AllowedOrigin></CORSRule>"), "MalformedXML", ""},
		"Patch":        {"S3 has no such method.", document(rule("<AllowedMethod>PATCH</AllowedMethod>")), "InvalidRequest", "Unsupported method is PATCH"},
		"AnyMethod":    {"A * is for origins and headers.", document(rule("<AllowedMethod>*</AllowedMethod>")), "InvalidRequest", "Unsupported method is *"},
		"LowerCase":    {"Methods are in upper case.", document(rule("<AllowedMethod>get</AllowedMethod>")), "InvalidRequest", "Unsupported method is get"},
		"Origin":       {"One * at most.", document(rule("<AllowedOrigin>https://*.*</AllowedOrigin>")), "InvalidRequest", "more than one wildcard"},
		"Header":       {"One * at most.", document(rule("<AllowedHeader>x-*-*</AllowedHeader>")), "InvalidRequest", "more than one wildcard"},
		"Expose":       {"Browsers know no patterns.", document(rule("<ExposeHeader>x-amz-*</ExposeHeader>")), "InvalidRequest", "contains wildcard"},
		"MaxAge":       {"A number.", document(rule("<MaxAgeSeconds>1h</MaxAgeSeconds>")), "MalformedXML", ""},
		"MaxAgeBefore": {"Not in the past.", document(rule("<MaxAgeSeconds>-1</MaxAgeSeconds>")), "InvalidRequest", "negative"},
		"ID":           {"At most 255 characters.", document(rule("<ID>" + strings.Repeat("ü", 256) + "</ID>")), "InvalidRequest", "255"},
		"LongestID":    {"At most 255 characters.", document(rule("<ID>" + strings.Repeat("ü", 255) + "</ID>")), "", ""},
		"MostRules":    {"S3's limit.", document(strings.Repeat(rule(""), 100)), "", ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			a := a.in(t)
			got := a.raw(http.MethodPut, "?cors", tc.body)
			if found := codeOf(got.body); found != tc.want || !strings.Contains(got.body, tc.says) {
				t.Errorf("%s\nanswer %d: %s", tc.reason, got.status, got.body)
			}
			if diff := diffRules(corsRules(), corsOf(t, a.s3)); tc.want != "" && diff != "" {
				t.Errorf("%s\nthe rules were changed: -before, +after:\n%s", tc.reason, diff)
			}
			a.must(a.setCORS(corsRules()))
		})
	}
}

// corsHeaders are the headers that browsers read.
func corsHeaders(header http.Header) map[string]string {
	found := map[string]string{}
	for name, values := range header {
		if short, ok := strings.CutPrefix(name, "Access-Control-"); ok {
			found[short] = strings.Join(values, "|")
		}
		if name == "Vary" {
			found[name] = strings.Join(values, "|")
		}
	}
	return found
}

const corsVary = "Origin, Access-Control-Request-Headers, Access-Control-Request-Method"

func ask(t *testing.T, method, target string, header ...string) answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, target, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	for pair := range slices.Chunk(header, 2) {
		r.Header.Set(pair[0], pair[1])
	}
	return exchange(t, r)
}

//nolint:lll // one case a line
func TestPreflight(t *testing.T) {
	a := newApp(t)
	a.must(a.setCORS(corsRules()))
	a.store.bucket(t, "silent")
	const here, org = "https://app.example.com", "https://a.b.example.org"
	uploads := func(origin, headers string) map[string]string {
		want := map[string]string{
			"Allow-Origin": origin, "Allow-Credentials": "true", "Allow-Methods": "PUT, POST", "Expose-Headers": "ETag, x-amz-version-id",
			"Max-Age": "600", "Vary": corsVary,
		}
		if headers != "" {
			want["Allow-Headers"] = headers
		}
		return want
	}
	second := map[string]string{"Allow-Origin": here, "Allow-Credentials": "true", "Allow-Methods": "PUT, GET", "Allow-Headers": "x-amz-acl, content-type", "Vary": corsVary}
	anyone := map[string]string{"Allow-Origin": "*", "Allow-Methods": "GET, HEAD", "Max-Age": "0", "Vary": corsVary}
	const disabled, forbidden = "CORS is not enabled for this bucket", "This CORS request is not allowed"
	tests := map[string]struct {
		reason                  string
		target                  string
		origin, method, headers string
		status                  int
		want                    map[string]string
		says                    string
	}{
		"Plain":          {reason: "The first rule.", origin: here, method: "PUT", status: 200, want: uploads(here, "")},
		"Presigned":      {reason: "The query is of the request that follows.", target: "/photos/k?X-Amz-Signature=1&partNumber=1&x-id=UploadPart", origin: here, method: "PUT", status: 200, want: uploads(here, "")},
		"Bucket":         {reason: "A form is posted there.", target: "/photos", origin: here, method: "POST", status: 200, want: uploads(here, "")},
		"Subdomain":      {reason: "A * in an origin.", origin: org, method: "PUT", status: 200, want: uploads(org, "")},
		"Headers":        {reason: "Patterns and names, in any case.", origin: org, method: "PUT", headers: "Content-Type,X-Amz-Meta-COLOUR", status: 200, want: uploads(org, "content-type, x-amz-meta-colour")},
		"SecondRule":     {reason: "The first does not allow the header.", origin: here, method: "PUT", headers: "x-amz-acl, content-type", status: 200, want: second},
		"Anyone":         {reason: "The last rule.", origin: "http://elsewhere", method: "GET", status: 200, want: anyone},
		"Null":           {reason: "The origin of a file.", origin: "null", method: "HEAD", status: 200, want: anyone},
		"OtherHeader":    {reason: "No rule for the origin allows it.", origin: org, method: "PUT", headers: "x-amz-acl", status: 403, says: forbidden},
		"NoHeaders":      {reason: "The last rule allows none.", origin: "http://elsewhere", method: "GET", headers: "range", status: 403, says: forbidden},
		"OtherMethod":    {reason: "No rule allows it.", origin: here, method: "DELETE", status: 403, says: forbidden},
		"OddMethod":      {reason: "S3 has no such method.", origin: here, method: "PATCH", status: 403, says: "<Method>PATCH</Method><ResourceType>OBJECT</ResourceType>"},
		"OtherOrigin":    {reason: "It only begins like one that is allowed.", origin: here + ".evil", method: "PUT", status: 403, says: forbidden},
		"OtherScheme":    {reason: "The scheme is part of the origin.", origin: "http://app.example.com", method: "PUT", status: 403, says: forbidden},
		"NoSubdomain":    {reason: "The dot is part of the pattern.", origin: "https://example.org", method: "PUT", status: 403, says: forbidden},
		"NotConfigured":  {reason: "By default nothing.", target: "/silent/k", origin: here, method: "GET", status: 403, says: disabled},
		"NoBucket":       {reason: "As one without configuration.", target: "/missing/k", origin: here, method: "GET", status: 403, says: disabled},
		"ForBucket":      {reason: "The error says what was asked for.", target: "/silent", origin: here, method: "GET", status: 403, says: "<ResourceType>BUCKET</ResourceType>"},
		"Service":        {reason: "No bucket at all.", target: "/", origin: here, method: "GET", status: 403, says: disabled},
		"NoOrigin":       {reason: "Required.", method: "PUT", status: 400, says: "Origin request header needed"},
		"NoMethod":       {reason: "Required.", origin: here, status: 400, says: "Invalid Access-Control-Request-Method: null"},
		"NoOriginSilent": {reason: "The same for all buckets.", target: "/missing/k", method: "PUT", status: 400, says: "Origin request header needed"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			target := a.store.url + "/photos/a key"
			if tc.target != "" {
				target = a.store.url + tc.target
			}
			var header []string
			for _, pair := range [][2]string{
				{"Origin", tc.origin}, {"Access-Control-Request-Method", tc.method}, {"Access-Control-Request-Headers", tc.headers},
			} {
				if pair[1] != "" {
					header = append(header, pair[:]...)
				}
			}
			got := ask(t, http.MethodOptions, strings.ReplaceAll(target, " ", "%20"), header...)
			if got.status != tc.status || !strings.Contains(got.body, tc.says) || (tc.status == 200 && got.body != "") {
				t.Errorf("%s\nanswer %d: %s", tc.reason, got.status, got.body)
			}
			if diff := cmp.Diff(tc.want, corsHeaders(got.header), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestPreflightDisclosesNothing: the responses for an inaccessible bucket, and for a missing one,
// differ in the address and the request's ID only.
func TestPreflightDisclosesNothing(t *testing.T) {
	for _, origins := range [][]string{nil, {"http://localhost:3000"}} {
		s := serve(t, store.Options{CORSOrigins: origins})
		s.bucket(t, "hidden", func(b *fakedriver.BucketSpec) { b.Region = "us-west-2" })
		for _, origin := range []string{"http://localhost:3000", "http://elsewhere"} {
			seen := map[string]string{}
			for _, bucket := range []string{"hidden", "absent"} {
				got := ask(t, http.MethodOptions, s.url+"/"+bucket+"/k", "Origin", origin, "Access-Control-Request-Method", "PUT")
				id := got.header.Get("X-Amz-Request-Id")
				got.header.Del("Date")
				text := fmt.Sprint(got.status, got.header, got.body)
				seen[bucket] = strings.NewReplacer(id, "ID", bucket, "BUCKET").Replace(text)
			}
			if diff := cmp.Diff(seen["absent"], seen["hidden"]); diff != "" {
				t.Errorf("%v, asked from %s: -absent, +hidden:\n%s", origins, origin, diff)
			}
		}
	}
}

// TestActualCORS: responses and errors to pages, with every way to authenticate.
//
//nolint:lll // one case a line
func TestActualCORS(t *testing.T) {
	a := newApp(t)
	a.must(a.setCORS(corsRules()))
	a.put("k", "content")
	const here = "https://app.example.com"
	get := map[string]string{"Allow-Origin": here, "Allow-Credentials": "true", "Allow-Methods": "PUT, GET", "Vary": corsVary}
	put := map[string]string{
		"Allow-Origin": here, "Allow-Credentials": "true", "Allow-Methods": "PUT, POST", "Max-Age": "600",
		"Expose-Headers": "ETag, x-amz-version-id", "Vary": corsVary,
	}
	anyone := map[string]string{"Allow-Origin": "*", "Allow-Methods": "GET, HEAD", "Max-Age": "0", "Vary": corsVary}
	none := map[string]string{"Vary": corsVary}
	link, err := s3.NewPresignClient(a.s3).PresignGetObject(t.Context(), &s3.GetObjectInput{Bucket: a.bucket, Key: ptr("k")})
	a.must(err)
	tests := map[string]struct {
		reason string
		got    func(a *app, origin ...string) answer
		origin string
		status int
		want   map[string]string
	}{
		"Get":        {"A GET.", func(a *app, o ...string) answer { return a.raw("GET", "/k", "", o...) }, here, 200, get},
		"GetAnyone":  {"By the last rule.", func(a *app, o ...string) answer { return a.raw("GET", "/k", "", o...) }, "http://b", 200, anyone},
		"Head":       {"No body.", func(a *app, o ...string) answer { return a.raw("HEAD", "/k", "", o...) }, here, 200, anyone},
		"HeadBucket": {"Nothing at all.", func(a *app, o ...string) answer { return a.raw("HEAD", "", "", o...) }, here, 200, anyone},
		"List":       {"A document.", func(a *app, o ...string) answer { return a.raw("GET", "?list-type=2", "", o...) }, here, 200, get},
		"Put":        {"Another rule.", func(a *app, o ...string) answer { return a.raw("PUT", "/new", "x", o...) }, here, 200, put},
		"Forbidden":  {"It is served: the browser keeps it.", func(a *app, o ...string) answer { return a.raw("PUT", "/new", "x", o...) }, "http://b", 200, none},
		"Missing":    {"An error.", func(a *app, o ...string) answer { return a.raw("GET", "/missing", "", o...) }, here, 404, get},
		"Unchanged":  {"No body.", func(a *app, o ...string) answer { return a.raw("GET", "/k", "", append(o, "If-None-Match", "*")...) }, here, 304, get},
		"Anonymous":  {"Nothing is known of the sender.", func(a *app, o ...string) answer { return ask(a.T, "GET", a.store.url+"/photos/k", o...) }, here, 403, get},
		"Presigned":  {"By the URL.", func(a *app, o ...string) answer { return ask(a.T, "GET", link.URL, o...) }, here, 200, get},
		"Tampered":   {"By a wrong URL.", func(a *app, o ...string) answer { return ask(a.T, "GET", link.URL+"0", o...) }, here, 403, get},
		"NoOrigin":   {"No page.", func(a *app, _ ...string) answer { return a.raw("GET", "/k", "") }, "", 200, nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := tc.got(a.in(t), "Origin", tc.origin)
			if got.status != tc.status {
				t.Errorf("%s\nanswer %d: %s", tc.reason, got.status, got.body)
			}
			if diff := cmp.Diff(tc.want, corsHeaders(got.header), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestRevokedIsReadable: a page may read the reason for which its key is rejected, even during the
// preparation of the response.
func TestRevokedIsReadable(t *testing.T) {
	m := new(moments)
	s, c := fixture(t, store.Options{Middleware: m.watch, CORSOrigins: []string{"*"}})
	put(t, c, "k", "content")
	in := signed{
		method: http.MethodGet, path: "/photos/k", credentials: s.account(t, "app", readWrite("photos")),
		region: s.Region(), service: "s3", at: time.Now(), before: header("Origin", "http://b"),
	}
	r := in.request(t, s)
	m.prepared, m.started = func() { s.revoke(t, "app") }, func(int) {}
	m.armed.Store(true)
	got := exchange(t, r)
	if got.status != http.StatusForbidden || got.header.Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("answer %d with %v: %s", got.status, got.header, got.body)
	}
}

// TestCORSOrigins: the development rule allows everything for buckets without rules of their own.
func TestCORSOrigins(t *testing.T) {
	const page = "http://localhost:3000"
	s := serve(t, store.Options{CORSOrigins: []string{page}})
	s.bucket(t, "photos")
	s.bucket(t, "classy", func(b *fakedriver.BucketSpec) { b.CORSOrigins = []string{"https://*.example.com"} })
	key := s.account(t, "app", allAccess("photos"), allAccess("classy"))
	a := &app{T: t, store: s, s3: s.client(t, key), bucket: ptr("photos"), key: key}
	a.put("k", "content", func(in *s3.PutObjectInput) { in.Metadata = map[string]string{"colour": "red"} })
	got := a.raw(http.MethodGet, "/k", "", "Origin", page)
	exposed := got.header.Get("Access-Control-Expose-Headers")
	if want := "ETag, x-amz-id-2, x-amz-meta-colour, x-amz-request-id"; exposed != want {
		t.Errorf("GET exposes %q, want %q", exposed, want)
	}
	for _, method := range []string{"GET", "PUT", "POST", "DELETE", "HEAD"} {
		got := ask(t, http.MethodOptions, s.url+"/photos/k", "Origin", page, "Access-Control-Request-Method", method,
			"Access-Control-Request-Headers", "authorization,x-amz-meta-colour")
		want := map[string]string{
			"Allow-Origin": page, "Allow-Credentials": "true", "Allow-Methods": "GET, PUT, POST, DELETE, HEAD",
			"Allow-Headers": "authorization, x-amz-meta-colour", "Expose-Headers": "ETag, x-amz-id-2, x-amz-request-id", "Vary": corsVary,
		}
		if diff := cmp.Diff(want, corsHeaders(got.header)); diff != "" {
			t.Errorf("%s: answer %d; -want, +got:\n%s", method, got.status, diff)
		}
	}
	preflight := func(bucket, origin string) int {
		return ask(t, http.MethodOptions, s.url+"/"+bucket, "Origin", origin, "Access-Control-Request-Method", "GET").status
	}
	_, err := a.s3.GetBucketCors(t.Context(), &s3.GetBucketCorsInput{Bucket: a.bucket})
	a.rejected("the bucket has no rules of its own", err, "NoSuchCORSConfiguration")
	statuses := []int{
		preflight("photos", "http://b"), preflight("classy", "https://a.example.com"), preflight("classy", page), preflight("", page),
	}
	if diff := cmp.Diff([]int{403, 200, 403, 200}, statuses); diff != "" {
		t.Errorf("preflights: -want, +got:\n%s", diff)
	}
	_, err = a.s3.DeleteBucketCors(t.Context(), &s3.DeleteBucketCorsInput{Bucket: ptr("classy")})
	a.must(err)
	if got := preflight("classy", page); got != http.StatusOK {
		t.Errorf("without the rules of its class: answer %d", got)
	}
}
