package protocol_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs"
)

// TestParameters sends parameters that Google documents but the service lacks, which are rejected by
// name, and unknown ones, which Google ignores.
//
//nolint:lll // one case a line
func TestParameters(t *testing.T) {
	f := serve(t, gcs.Options{})
	key := bearer(f.account(t, "app", all("photos")))
	copies := objectX + "/copyTo/b/photos/o/y"
	compose := request{method: "POST", path: "/storage/v1/b/photos/o/y/compose", body: `{"sourceObjects":[{"name":"x"}]}`}
	for _, op := range []struct {
		name string
		request
		lacks []string
	}{
		{"Get", request{method: "GET", path: objectX}, []string{"softDeleted=true", "restoreToken=t"}},
		{"Media", request{method: "GET", path: "/download" + objectX}, []string{"softDeleted=true"}},
		{"List", request{method: "GET", path: "/storage/v1/b/photos/o"}, []string{"softDeleted=true"}},
		{"Insert", request{method: "POST", path: upload + "&name=y"}, []string{"kmsKeyName=k", "predefinedAcl=private"}},
		{"Patch", request{method: "PATCH", path: objectX}, []string{"predefinedAcl=private", "overrideUnlockedRetention=true"}},
		{"Update", request{method: "PUT", path: objectX}, []string{"predefinedAcl=private", "overrideUnlockedRetention=true"}},
		{"Copy", request{method: "POST", path: copies}, []string{"destinationKmsKeyName=k", "destinationPredefinedAcl=private"}},
		{"Rewrite", request{method: "POST", path: objectX + "/rewriteTo/b/photos/o/y"}, []string{"destinationKmsKeyName=k", "dropContextGroups=custom"}},
		{"Compose", compose, []string{"kmsKeyName=k", "destinationPredefinedAcl=private", "dropContextGroups=custom"}},
		{"Bucket", request{method: "GET", path: "/storage/v1/b/photos"}, []string{"ifMetagenerationMatch=1", "softDeleted=true", "generation=1"}},
		{"Move", request{method: "POST", path: objectX + "/moveTo/o/y"}, nil},
		{"Delete", request{method: "DELETE", path: objectX}, nil},
	} {
		with := func(query string) request {
			r := op.request
			separator := "?"
			if strings.Contains(r.path, "?") {
				separator = "&"
			}
			r.path += separator + query
			return r
		}
		for _, lacking := range op.lacks {
			name, _, _ := strings.Cut(lacking, "=")
			f.put(t, "photos", "x", "x", key)
			status, _, body := f.do(t, with(lacking), key)
			if status != 400 || reasonOf(t, status, body) != "notImplemented" || !strings.Contains(string(body), name) {
				t.Errorf("%s with %s: %d %s, want notImplemented with the name", op.name, lacking, status, body)
			}
		}
		for _, ignored := range []string{"unknown=1", "unknown=1&unknown=2", "prefix=p&ifSomething=1", "userIp=1", "overrideUnlockedRetention=false"} {
			if op.name == "List" && strings.HasPrefix(ignored, "prefix") {
				continue
			}
			f.put(t, "photos", "x", "x", key)
			if status, _, body := f.do(t, with(ignored), key); status != ok && status != http.StatusNoContent {
				t.Errorf("%s with %s: %d %s, want success", op.name, ignored, status, body)
			}
		}
	}
}

// TestXMLParameters sends unknown parameters to the XML API, which ignores them, and unsupported ones.
func TestXMLParameters(t *testing.T) {
	f := serve(t, gcs.Options{})
	key := f.account(t, "app", all("photos"))
	f.put(t, "photos", "x", "content", bearer(key))
	now := time.Now().UTC()
	for query, want := range map[string]int{
		"unknown": 200, "response-content-type": 200, "acl": 403, "tagging": 501, "attributes": 501, "retention": 501, "torrent": 501,
		"x-goog-meta-a": 200, "encryption": 501,
	} {
		path := f.signedURL(key, "GET", "/photos/x", now, map[string][]string{query: {"t/x"}}, nil)
		if status, _, body := f.do(t, request{method: "GET", path: path}, ""); status != want {
			t.Errorf("%s: %d %s, want %d", query, status, body, want)
		}
	}
	for _, setting := range []string{"billing", "storageClass", "encryptionConfig"} {
		path := f.signedURL(key, "PUT", "/photos", now, map[string][]string{setting: {""}}, nil)
		if status, _, body := f.do(t, request{method: "PUT", path: path}, ""); status != 501 {
			t.Errorf("%s: %d %s, want 501", setting, status, body)
		}
	}
}

// TestOverride sends methods in the header X-HTTP-Method-Override of POST.
//
//nolint:lll // one case a line
func TestOverride(t *testing.T) {
	f := serve(t, gcs.Options{})
	key := bearer(f.account(t, "app", all("photos")))
	for _, tc := range []struct {
		name, method, override, path, body string
		want                               int
		have                               string // in the response
	}{
		{"Patch", "POST", "PATCH", objectX, `{"metadata":{"a":"1"}}`, 200, `"a":"1"`},
		{"Lower", "POST", "patch", objectX, `{"metadata":{"a":"2"}}`, 200, `"a":"2"`},
		{"Put", "POST", "PUT", objectX, `{"contentType":"t/x"}`, 200, `"contentType":"t/x"`},
		{"Get", "POST", "GET", objectX, "", 200, `"name":"x"`},
		{"List", "POST", "GET", "/storage/v1/b/photos/o", "", 200, `"name":"x"`},
		{"Post", "POST", "POST", objectX + "/copyTo/b/photos/o/y", "", 200, `"name":"y"`},
		{"Delete", "POST", "DELETE", objectX, "", 204, ""},
		{"Cancel", "POST", "DELETE", "session", "", 499, ""},
		{"Unknown", "POST", "TRACE", objectX, "", 400, "invalid"},
		{"OfGet", "GET", "DELETE", objectX, "", 400, "invalid"},
		{"NotInXML", "POST", "PUT", "/photos/x", "", 400, "notImplemented"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f.put(t, "photos", "x", "x", key)
			path := tc.path
			if path == "session" {
				path = f.session(t, key)
			}
			r := request{method: tc.method, path: path, body: tc.body, header: http.Header{"X-Http-Method-Override": {tc.override}}}
			if status, _, body := f.do(t, r, key); status != tc.want || !strings.Contains(string(body), tc.have) {
				t.Errorf("%d %s, want %d %s", status, body, tc.want, tc.have)
			}
		})
	}
	call := "POST " + objectX + " HTTP/1.1\r\nContent-Type: application/json\r\nX-HTTP-Method-Override: PATCH\r\n\r\n" + `{"metadata":{"a":"3"}}`
	f.put(t, "photos", "x", "x", key)
	if _, results := f.batch(t, key, call); !cmp.Equal(results, []string{"<response-0> 200"}) {
		t.Errorf("in a batch: %v", results)
	}
}

// TestFeatures expects the name of each part of the JSON API that is not served.
func TestFeatures(t *testing.T) {
	f := serve(t, gcs.Options{})
	key := bearer(f.account(t, "app", all("photos")))
	for path, want := range map[string]string{
		"GET /storage/v1/b/photos/storageLayout": "storageLayout", "GET /storage/v1/b/photos/iam": "IAM",
		"GET /storage/v1/b/photos/iam/testPermissions?permissions=storage.objects.get": "testIamPermissions",
		"PUT /storage/v1/b/photos/iam": "IAM", "GET /storage/v1/b/photos/acl": "access control lists",
		"GET /storage/v1/b/photos/acl/allUsers": "access control lists", "POST /storage/v1/b/photos/defaultObjectAcl": "default object ACLs",
		"GET " + objectX + "/acl": "access control lists", "PUT " + objectX + "/acl/allUsers": "access control lists",
		"GET " + objectX + "/iam": "IAM", "POST " + objectX + "/restore": "restoring", "POST /storage/v1/b/photos/o/bulkRestore": "restoring",
		"POST /storage/v1/b/photos/o/watch": "watching", "GET /storage/v1/b/photos/notificationConfigs": "notifications",
		"POST /storage/v1/b/photos/lockRetentionPolicy": "retention policies", "GET /storage/v1/b/photos/folders": "folders",
		"POST /storage/v1/b/photos/managedFolders": "managed folders", "GET /storage/v1/projects/p/serviceAccount": "service accounts",
		"POST /storage/v1/projects/p/hmacKeys": "HMAC keys", "GET /storage/v1/b/photos/operations": "operations",
	} {
		method, address, _ := strings.Cut(path, " ")
		status, _, body := f.do(t, request{method: method, path: address}, key)
		if status != 400 || reasonOf(t, status, body) != "notImplemented" || !strings.Contains(string(body), want) {
			t.Errorf("%s: %d %s, want notImplemented with %q", path, status, body, want)
		}
	}
}

// TestGlobs lists objects by patterns and filters, also in pages of one.
func TestGlobs(t *testing.T) {
	f := serve(t, gcs.Options{})
	key := bearer(f.account(t, "app", all("photos")))
	for _, name := range []string{"a", "a/b.txt", "a/c/d.txt", "b.txt", "c[1]", "ü.txt"} {
		f.put(t, "photos", strings.ReplaceAll(name, "/", "%2F"), "x", key)
	}
	contexts := `{"contexts":{"custom":{"k":{"value":"v"}}}}`
	if status, _, body := f.do(t, request{method: "PATCH", path: "/storage/v1/b/photos/o/a", body: contexts}, key); status != ok {
		t.Fatalf("patch: %d %s", status, body)
	}
	for _, tc := range []struct {
		query string
		want  string // names and prefixes
		code  int
	}{
		{"matchGlob=*", "a b.txt c[1] ü.txt", 200},
		{"matchGlob=**", "a a/b.txt a/c/d.txt b.txt c[1] ü.txt", 200},
		{"matchGlob=**.txt", "a/b.txt a/c/d.txt b.txt ü.txt", 200},
		{"matchGlob=a/*", "a/b.txt", 200},
		{"matchGlob=a/**", "a/b.txt a/c/d.txt", 200},
		{"matchGlob=?.txt", "b.txt ü.txt", 200},
		{"matchGlob=[a-c].txt", "b.txt", 200},
		{"matchGlob=[!a-c].txt", "ü.txt", 200},
		{"matchGlob=[^b].txt", "ü.txt", 200},
		{"matchGlob={a,**/d}*", "a a/c/d.txt", 200},
		{"matchGlob={a,**/d.*}", "a a/c/d.txt", 200},
		{"matchGlob=c%5C[1%5C]", "c[1]", 200},
		{"matchGlob=b.t", "", 200},
		{"matchGlob=b%2Etxt", "b.txt", 200},
		{"matchGlob=bXtxt", "", 200},
		{"matchGlob=**&prefix=a/&delimiter=/", "a/b.txt a/c/", 200},
		{"matchGlob=*.txt&delimiter=/", "b.txt ü.txt", 200},
		{"matchGlob=[a", "", 400},
		{"matchGlob={a", "", 400},
		{"matchGlob=[]", "", 400},
		{"filter=contexts.%22k%22%3D%22v%22", "a", 200},
		{"filter=contexts.%22k%22%3D%22w%22", "", 200},
		{"filter=contexts.%22k%22:*", "a", 200},
		{"filter=-contexts.%22k%22:*", "a/b.txt a/c/d.txt b.txt c[1] ü.txt", 200},
		{"filter=-contexts.%22k%22:*&delimiter=/", "b.txt c[1] ü.txt a/", 200},
		{"filter=name%3D%22a%22", "", 400},
		{"includeFoldersAsPrefixes=true&delimiter=/", "a b.txt c[1] ü.txt a/", 200},
	} {
		t.Run(tc.query, func(t *testing.T) {
			for _, size := range []int{1000, 1} {
				names, status := f.names(t, tc.query, size, key)
				if status != tc.code || !cmp.Equal(strings.Fields(tc.want), names, cmp.Transformer("sorted", sortedSet)) {
					t.Errorf("in pages of %d: %d %q, want %d %q", size, status, names, tc.code, tc.want)
				}
			}
		})
	}
}

// sortedSet makes the order of a list irrelevant: each page has its objects before its prefixes.
func sortedSet(names []string) map[string]bool {
	set := map[string]bool{}
	for _, name := range names {
		set[name] = true
	}
	return set
}

// names lists all objects and prefixes in pages.
func (f *fixture) names(t *testing.T, query string, size int, key string) (names []string, status int) {
	t.Helper()
	for token := "-"; token != ""; {
		path := fmt.Sprintf("/storage/v1/b/photos/o?%s&maxResults=%d", query, size)
		if token != "-" {
			path += "&pageToken=" + token
		}
		var page struct {
			Items         []struct{ Name string }
			Prefixes      []string
			NextPageToken string
		}
		var body []byte
		if status, _, body = f.do(t, request{method: "GET", path: path}, key); status != ok {
			return nil, status
		}
		decode(t, body, &page)
		for _, item := range page.Items {
			names = append(names, item.Name)
		}
		names = append(names, page.Prefixes...)
		token = page.NextPageToken
	}
	return names, status
}
