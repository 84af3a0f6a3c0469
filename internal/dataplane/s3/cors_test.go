package s3_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/test/s3test"
)

// corsRules are the rules of most tests: the first match wins.
func corsRules() []types.CORSRule {
	return []types.CORSRule{
		{
			ID: new("uploads"), AllowedOrigins: []string{"https://app.example.com", "https://*.example.org"}, AllowedMethods: []string{"PUT", "POST"},
			AllowedHeaders: []string{"Content-*", "x-amz-meta-colour"}, ExposeHeaders: []string{"ETag", "x-amz-version-id"},
			MaxAgeSeconds: aws.Int32(600),
		},
		{AllowedOrigins: []string{"https://app.example.com"}, AllowedMethods: []string{"PUT", "GET"}, AllowedHeaders: []string{"*"}},
		{AllowedOrigins: []string{"*"}, AllowedMethods: []string{"GET", "HEAD"}, MaxAgeSeconds: aws.Int32(0)},
	}
}

func setCORS(a *s3test.App, rules []types.CORSRule) error {
	_, err := a.S3.PutBucketCors(a.Context(), &s3.PutBucketCorsInput{
		Bucket: a.Bucket, CORSConfiguration: &types.CORSConfiguration{CORSRules: rules},
	})
	return err
}

func corsOf(t *testing.T, c *s3.Client) []types.CORSRule {
	t.Helper()
	out, err := c.GetBucketCors(t.Context(), &s3.GetBucketCorsInput{Bucket: new("photos")})
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
	s := s3test.Serve(t, s3test.Options{Dir: dir})
	s.Bucket(t, "photos")
	a := &s3test.App{T: t, Store: s, S3: s.Client(t, s.Account(t, "app", s3test.AllAccess("photos"))), Bucket: new("photos")}
	_, err := a.S3.GetBucketCors(t.Context(), &s3.GetBucketCorsInput{Bucket: a.Bucket})
	a.Rejected("before there is one", err, "NoSuchCORSConfiguration")
	a.Must(setCORS(a, []types.CORSRule{{AllowedOrigins: []string{"*"}, AllowedMethods: []string{"DELETE"}}}))
	a.Must(setCORS(a, corsRules()))
	if diff := diffRules(corsRules(), corsOf(t, a.S3)); diff != "" {
		t.Errorf("-put, +got:\n%s", diff)
	}
	image, thaw, err := s.Freeze(t.Context())
	a.Must(err)
	thaw()
	copied := filepath.Join(t.TempDir(), "image")
	a.Must(image.Write(copied))
	image.Release()
	a.Must(s.Close())
	for _, dir := range []string{dir, copied} {
		restored := s3test.Serve(t, s3test.Options{Dir: dir})
		c := restored.Client(t, restored.Account(t, "app", s3test.AllAccess("photos")))
		if diff := diffRules(corsRules(), corsOf(t, c)); diff != "" {
			t.Errorf("after a restart from %s: -put, +got:\n%s", filepath.Base(dir), diff)
		}
		a := a.In(t)
		a.Store, a.S3 = restored, c
		_, err = c.DeleteBucketCors(t.Context(), &s3.DeleteBucketCorsInput{Bucket: a.Bucket})
		a.Must(err)
		_, err = c.GetBucketCors(t.Context(), &s3.GetBucketCorsInput{Bucket: a.Bucket})
		a.Rejected("after it was deleted", err, "NoSuchCORSConfiguration")
		a.Must(setCORS(a, corsRules()))
		a.Must(restored.DeleteBucket(t.Context(), s3test.Owner, "photos"))
		restored.Bucket(t, "photos")
		again := restored.Client(t, restored.Account(t, "again", s3test.AllAccess("photos")))
		_, err = again.GetBucketCors(t.Context(), &s3.GetBucketCorsInput{Bucket: a.Bucket})
		a.Rejected("a later bucket of that name", err, "NoSuchCORSConfiguration")
	}
}

//nolint:lll // one case a line
func TestBucketCORSRejections(t *testing.T) {
	a := s3test.NewApp(t)
	a.Must(setCORS(a, corsRules()))
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
		"Nothing":      {"No document.", "", "MissingRequestBodyError", ""},
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
			a := a.In(t)
			got := a.Document(http.MethodPut, "?cors", tc.body)
			if found := s3test.CodeOf(got.Body); found != tc.want || !strings.Contains(got.Body, tc.says) {
				t.Errorf("%s\nanswer %d: %s", tc.reason, got.Status, got.Body)
			}
			if diff := diffRules(corsRules(), corsOf(t, a.S3)); tc.want != "" && diff != "" {
				t.Errorf("%s\nthe rules were changed: -before, +after:\n%s", tc.reason, diff)
			}
			a.Must(setCORS(a, corsRules()))
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

func ask(t *testing.T, method, target string, header ...string) s3test.Answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, target, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	for pair := range slices.Chunk(header, 2) {
		r.Header.Set(pair[0], pair[1])
	}
	return s3test.Exchange(t, r)
}

//nolint:lll // one case a line
func TestPreflight(t *testing.T) {
	a := s3test.NewApp(t)
	a.Must(setCORS(a, corsRules()))
	a.Store.Bucket(t, "silent")
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
			target := a.Store.URL + "/photos/a key"
			if tc.target != "" {
				target = a.Store.URL + tc.target
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
			if got.Status != tc.status || !strings.Contains(got.Body, tc.says) || (tc.status == 200 && got.Body != "") {
				t.Errorf("%s\nanswer %d: %s", tc.reason, got.Status, got.Body)
			}
			if diff := cmp.Diff(tc.want, corsHeaders(got.Header), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestPreflightDisclosesNothing: the responses for an inaccessible bucket, and for a missing one,
// differ in the address and the request's ID only.
func TestPreflightDisclosesNothing(t *testing.T) {
	for _, origins := range [][]string{nil, {"http://localhost:3000"}} {
		s := s3test.Serve(t, s3test.Options{CORSOrigins: origins})
		s.Bucket(t, "hidden", func(b *fakedriver.BucketSpec) { b.Region = "us-west-2" })
		for _, origin := range []string{"http://localhost:3000", "http://elsewhere"} {
			seen := map[string]string{}
			for _, bucket := range []string{"hidden", "absent"} {
				got := ask(t, http.MethodOptions, s.URL+"/"+bucket+"/k", "Origin", origin, "Access-Control-Request-Method", "PUT")
				id := got.Header.Get("X-Amz-Request-Id")
				got.Header.Del("Date")
				text := fmt.Sprint(got.Status, got.Header, got.Body)
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
	a := s3test.NewApp(t)
	a.Must(setCORS(a, corsRules()))
	a.Put("k", "content")
	const here = "https://app.example.com"
	get := map[string]string{"Allow-Origin": here, "Allow-Credentials": "true", "Allow-Methods": "PUT, GET", "Vary": corsVary}
	put := map[string]string{
		"Allow-Origin": here, "Allow-Credentials": "true", "Allow-Methods": "PUT, POST", "Max-Age": "600",
		"Expose-Headers": "ETag, x-amz-version-id", "Vary": corsVary,
	}
	anyone := map[string]string{"Allow-Origin": "*", "Allow-Methods": "GET, HEAD", "Max-Age": "0", "Vary": corsVary}
	none := map[string]string{"Vary": corsVary}
	link, err := s3.NewPresignClient(a.S3).PresignGetObject(t.Context(), &s3.GetObjectInput{Bucket: a.Bucket, Key: new("k")})
	a.Must(err)
	tests := map[string]struct {
		reason string
		got    func(a *s3test.App, origin ...string) s3test.Answer
		origin string
		status int
		want   map[string]string
	}{
		"Get":        {"A GET.", func(a *s3test.App, o ...string) s3test.Answer { return a.Raw("GET", "/k", "", o...) }, here, 200, get},
		"GetAnyone":  {"By the last rule.", func(a *s3test.App, o ...string) s3test.Answer { return a.Raw("GET", "/k", "", o...) }, "http://b", 200, anyone},
		"Head":       {"No body.", func(a *s3test.App, o ...string) s3test.Answer { return a.Raw("HEAD", "/k", "", o...) }, here, 200, anyone},
		"HeadBucket": {"Nothing at all.", func(a *s3test.App, o ...string) s3test.Answer { return a.Raw("HEAD", "", "", o...) }, here, 200, anyone},
		"List":       {"A document.", func(a *s3test.App, o ...string) s3test.Answer { return a.Raw("GET", "?list-type=2", "", o...) }, here, 200, get},
		"Put":        {"Another rule.", func(a *s3test.App, o ...string) s3test.Answer { return a.Raw("PUT", "/new", "x", o...) }, here, 200, put},
		"Forbidden":  {"It is served: the browser keeps it.", func(a *s3test.App, o ...string) s3test.Answer { return a.Raw("PUT", "/new", "x", o...) }, "http://b", 200, none},
		"Missing":    {"An error.", func(a *s3test.App, o ...string) s3test.Answer { return a.Raw("GET", "/missing", "", o...) }, here, 404, get},
		"Unchanged": {"No body.", func(a *s3test.App, o ...string) s3test.Answer {
			return a.Raw("GET", "/k", "", append(o, "If-None-Match", "*")...)
		}, here, 304, get},
		"Anonymous": {"Nothing is known of the sender.", func(a *s3test.App, o ...string) s3test.Answer { return ask(a.T, "GET", a.Store.URL+"/photos/k", o...) }, here, 403, get},
		"Presigned": {"By the URL.", func(a *s3test.App, o ...string) s3test.Answer { return ask(a.T, "GET", link.URL, o...) }, here, 200, get},
		"Tampered":  {"By a wrong URL.", func(a *s3test.App, o ...string) s3test.Answer { return ask(a.T, "GET", link.URL+"0", o...) }, here, 403, get},
		"NoOrigin":  {"No page.", func(a *s3test.App, _ ...string) s3test.Answer { return a.Raw("GET", "/k", "") }, "", 200, nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := tc.got(a.In(t), "Origin", tc.origin)
			if got.Status != tc.status {
				t.Errorf("%s\nanswer %d: %s", tc.reason, got.Status, got.Body)
			}
			if diff := cmp.Diff(tc.want, corsHeaders(got.Header), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestCORSOrigins: the development rule allows everything for buckets without rules of their own.
func TestCORSOrigins(t *testing.T) {
	const page = "http://localhost:3000"
	s := s3test.Serve(t, s3test.Options{CORSOrigins: []string{page}})
	s.Bucket(t, "photos")
	s.Bucket(t, "classy", func(b *fakedriver.BucketSpec) { b.CORSOrigins = []string{"https://*.example.com"} })
	key := s.Account(t, "app", s3test.AllAccess("photos"), s3test.AllAccess("classy"))
	a := &s3test.App{T: t, Store: s, S3: s.Client(t, key), Bucket: new("photos"), Key: key}
	a.Put("k", "content", func(in *s3.PutObjectInput) { in.Metadata = map[string]string{"colour": "red"} })
	got := a.Raw(http.MethodGet, "/k", "", "Origin", page)
	exposed := got.Header.Get("Access-Control-Expose-Headers")
	if want := "ETag, x-amz-id-2, x-amz-meta-colour, x-amz-request-id"; exposed != want {
		t.Errorf("GET exposes %q, want %q", exposed, want)
	}
	for _, method := range []string{"GET", "PUT", "POST", "DELETE", "HEAD"} {
		got := ask(t, http.MethodOptions, s.URL+"/photos/k", "Origin", page, "Access-Control-Request-Method", method,
			"Access-Control-Request-Headers", "authorization,x-amz-meta-colour")
		want := map[string]string{
			"Allow-Origin": page, "Allow-Credentials": "true", "Allow-Methods": "GET, PUT, POST, DELETE, HEAD",
			"Allow-Headers": "authorization, x-amz-meta-colour", "Expose-Headers": "ETag, x-amz-id-2, x-amz-request-id", "Vary": corsVary,
		}
		if diff := cmp.Diff(want, corsHeaders(got.Header)); diff != "" {
			t.Errorf("%s: answer %d; -want, +got:\n%s", method, got.Status, diff)
		}
	}
	preflight := func(bucket, origin string) int {
		return ask(t, http.MethodOptions, s.URL+"/"+bucket, "Origin", origin, "Access-Control-Request-Method", "GET").Status
	}
	_, err := a.S3.GetBucketCors(t.Context(), &s3.GetBucketCorsInput{Bucket: a.Bucket})
	a.Rejected("the bucket has no rules of its own", err, "NoSuchCORSConfiguration")
	statuses := []int{
		preflight("photos", "http://b"), preflight("classy", "https://a.example.com"), preflight("classy", page), preflight("", page),
	}
	if diff := cmp.Diff([]int{403, 200, 403, 200}, statuses); diff != "" {
		t.Errorf("preflights: -want, +got:\n%s", diff)
	}
	_, err = a.S3.DeleteBucketCors(t.Context(), &s3.DeleteBucketCorsInput{Bucket: new("classy")})
	a.Must(err)
	if got := preflight("classy", page); got != http.StatusOK {
		t.Errorf("without the rules of its class: answer %d", got)
	}
}
