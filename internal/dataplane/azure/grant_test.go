package azure_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure/sas"
)

const source = "SOURCE"

// blobContent has the length of a page, so that it can be the source of one.
var blobContent = strings.Repeat("content.", 64)

const tagDocument = `<Tags><TagSet><Tag><Key>a</Key><Value>b</Value></Tag></TagSet></Tags>`

// route is a request with its requirements.
type route struct {
	method, blob, query, body string
	headers                   []string
	// permissions are the letters of a signature, any of which is enough. Without, only the driver
	// may do it.
	permissions string
	// needs are letters of a grant for reading and writing object data (d, D), object metadata (m,
	// M) and container metadata (b, B). Any letter of a word is enough; all words are needed.
	needs []string
}

func (r route) String() string { return r.method + " " + r.blob + "?" + r.query }

// routes are all served operations, and the driver's.
func routes() []route {
	const copied, typed = "x-ms-copy-source: " + source, "x-ms-blob-type: BlockBlob"
	block := "comp=block&blockid=" + blockID("abc")
	return []route{
		{method: "GET", query: "restype=container", permissions: all, needs: []string{"bd"}},
		{method: "HEAD", query: "restype=container", permissions: all, needs: []string{"bd"}},
		{method: "GET", query: "restype=container&comp=metadata", permissions: all, needs: []string{"bd"}},
		{method: "HEAD", query: "restype=container&comp=metadata", permissions: all, needs: []string{"bd"}},
		{method: "GET", query: "restype=account&comp=properties", permissions: all, needs: []string{"dDmMbB"}},
		{method: "HEAD", blob: "x", query: "restype=account&comp=properties", permissions: all, needs: []string{"dDmMbB"}},
		{method: "GET", query: "restype=container&comp=list", permissions: "l", needs: []string{"d"}},
		{method: "GET", blob: "x", permissions: "r", needs: []string{"d"}},
		{method: "HEAD", blob: "x", permissions: "r", needs: []string{"dm"}},
		{method: "GET", blob: "x", query: "comp=metadata", permissions: "r", needs: []string{"dm"}},
		{method: "HEAD", blob: "x", query: "comp=metadata", permissions: "r", needs: []string{"dm"}},
		{method: "GET", blob: "x", query: "comp=blocklist", permissions: "r", needs: []string{"dm"}},
		{method: "GET", blob: "x", query: "comp=tags", permissions: "t", needs: []string{"dm"}},
		{method: "PUT", blob: "new1", body: "new", headers: []string{typed}, permissions: "cw", needs: []string{"D"}},
		{method: "PUT", blob: "new2", body: "new", headers: []string{typed, "x-ms-tags: a=b"}, permissions: "cw", needs: []string{"D", "M"}},
		{method: "PUT", blob: "copy1", headers: []string{copied}, permissions: "cw", needs: []string{"D"}},
		{method: "PUT", blob: "copy2", headers: []string{copied, "x-ms-requires-sync: true"}, permissions: "cw", needs: []string{"D"}},
		{method: "PUT", blob: "copy3", headers: []string{copied, typed}, permissions: "cw", needs: []string{"D"}},
		{
			method: "PUT", blob: "copy4", headers: []string{copied, "x-ms-requires-sync: true", "x-ms-copy-source-tag-option: COPY"},
			permissions: "cw", needs: []string{"D", "M"},
		},
		{method: "PUT", blob: "blocks", query: block, body: "block", permissions: "w", needs: []string{"D"}},
		{method: "PUT", blob: "blocks", query: block, headers: []string{copied}, permissions: "w", needs: []string{"D"}},
		{method: "PUT", blob: "list", query: "comp=blocklist", body: "<BlockList/>", permissions: "w", needs: []string{"D"}},
		{method: "PUT", blob: "log", query: "comp=appendblock", body: "line", permissions: "aw", needs: []string{"D"}},
		{method: "PUT", blob: "log", query: "comp=appendblock", headers: []string{copied}, permissions: "aw", needs: []string{"D"}},
		{method: "PUT", blob: "x", query: "comp=metadata", headers: []string{"x-ms-meta-a: b"}, permissions: "w", needs: []string{"M"}},
		{method: "PUT", blob: "x", query: "comp=properties", permissions: "w", needs: []string{"M"}},
		{method: "PUT", blob: "x", query: "comp=tags", body: tagDocument, permissions: "t", needs: []string{"M"}},
		{method: "PUT", blob: "x", query: "comp=snapshot", permissions: "cw", needs: []string{"D"}},
		{
			method: "PUT", blob: "leased", query: "comp=lease", permissions: "w", needs: []string{"D"},
			headers: []string{"x-ms-lease-action: acquire", "x-ms-lease-duration: -1",
				"x-ms-proposed-lease-id: 11111111-1111-1111-1111-111111111111"},
		},
		{method: "PUT", blob: "x", query: "comp=copy&copyid=1", headers: []string{"x-ms-copy-action: abort"}, permissions: "w",
			needs: []string{"D"}},
		{method: "DELETE", blob: "deleted", permissions: "d", needs: []string{"D"}},
		{method: "PUT", blob: "x", query: "comp=tier", headers: []string{"x-ms-access-tier: Cool"}, permissions: "w", needs: []string{"D"}},
		{method: "PUT", blob: "sealed", query: "comp=seal", permissions: "aw", needs: []string{"D"}},
		{method: "PUT", blob: "newpages", headers: []string{"x-ms-blob-type: PageBlob", "x-ms-blob-content-length: 1024"}, permissions: "cw",
			needs: []string{"D"}},
		{method: "PUT", blob: "pages", query: "comp=page", headers: []string{"x-ms-page-write: clear", "x-ms-range: bytes=0-511"},
			permissions: "w", needs: []string{"D"}},
		{method: "PUT", blob: "pages", query: "comp=page", headers: []string{copied, "x-ms-page-write: update", "x-ms-range: bytes=0-511",
			"x-ms-source-range: bytes=0-511"}, permissions: "w", needs: []string{"D"}},
		{method: "GET", blob: "pages", query: "comp=pagelist", permissions: "r", needs: []string{"d"}},
		{method: "GET", query: "restype=container&comp=blobs&where=a%3D%27b%27", permissions: "f", needs: []string{"d"}},
		{method: "POST", query: "restype=container&comp=batch", headers: []string{"Content-Type: multipart/mixed; boundary=b"},
			permissions: all, needs: []string{"dDmMbB"}},
		// The driver's.
		{method: "PUT", query: "restype=container"},
		{method: "DELETE", query: "restype=container"},
		{method: "PUT", query: "restype=container&comp=metadata"},
		{method: "GET", query: "restype=container&comp=acl"},
		{method: "HEAD", query: "restype=container&comp=acl"},
		{method: "PUT", query: "restype=container&comp=acl"},
		{method: "PUT", query: "restype=container&comp=lease"},
	}
}

func (a access) prepare(t *testing.T) {
	t.Helper()
	for _, name := range []string{"new1", "new2", "copy1", "copy2", "copy3", "copy4", "newpages", "list"} { // which c may only create
		a.do(t, http.MethodDelete, name, "", "")
	}
	for _, name := range []string{"x", "leased", "deleted"} {
		if got := a.do(t, http.MethodHead, name, "", ""); got.status == http.StatusNotFound {
			a.put(t, name, blobContent)
		}
	}
	if got := a.do(t, http.MethodHead, "log", "", ""); got.status == http.StatusNotFound {
		a.want(t, http.StatusCreated, a.do(t, http.MethodPut, "log", "", "", "x-ms-blob-type: AppendBlob"))
		a.want(t, http.StatusCreated, a.do(t, http.MethodPut, "sealed", "", "", "x-ms-blob-type: AppendBlob"))
		a.want(t, http.StatusCreated, a.do(t, http.MethodPut, "pages", "", "", "x-ms-blob-type: PageBlob", "x-ms-blob-content-length: 1024"))
	}
}

// try sends the request of a route, with a source of another access.
func (a access) try(t *testing.T, r route, copied access) response {
	t.Helper()
	var headers []string
	for _, header := range r.headers {
		headers = append(headers, strings.Replace(header, source, copied.url("x", ""), 1))
	}
	return a.do(t, r.method, r.blob, r.query, r.body, headers...)
}

func modes(g fakedriver.Grant) string {
	all := ""
	for i, mode := range []fakedriver.AccessMode{g.ObjectData, g.ObjectMetadata, g.BucketMetadata} {
		if mode == fakedriver.ReadOnly || mode == fakedriver.ReadWrite {
			all += string("dmb"[i])
		}
		if mode == fakedriver.WriteOnly || mode == fakedriver.ReadWrite {
			all += string("DMB"[i])
		}
	}
	return all
}

// covers reports whether a grant with these letters is enough.
func (r route) covers(letters string) bool {
	for _, word := range r.needs {
		if !strings.ContainsAny(letters, word) {
			return false
		}
	}
	return len(r.needs) > 0
}

// checkRejected checks the error of a route that is not allowed.
func (r route) checkRejected(t *testing.T, what string, got response) {
	t.Helper()
	want := "AuthorizationPermissionMismatch"
	if r.permissions == "" {
		want = "AuthorizationFailure"
	}
	if got.status != http.StatusForbidden || got.code() != want {
		t.Errorf("%s with %s: %d %s, want %s", r, what, got.status, got.code(), want)
	}
}

func (r route) checkAllowed(t *testing.T, what string, got response) {
	t.Helper()
	want := "OK"
	if strings.HasPrefix(r.query, "comp=copy") {
		want = "NoPendingCopyOperation"
	}
	if got.code() != want {
		t.Errorf("%s with %s: %d %s %s, want %s", r, what, got.status, got.code(), got.body, want)
	}
}

// TestRoutesAndGrants tries every operation with every grant.
func TestRoutesAndGrants(t *testing.T) {
	f := serve(t, azure.Options{})
	admin := f.access(t)
	each := []fakedriver.AccessMode{fakedriver.NoAccess, fakedriver.ReadOnly, fakedriver.WriteOnly, fakedriver.ReadWrite}
	for i := range 64 {
		grant := fakedriver.Grant{Bucket: "photos", ObjectData: each[i%4], ObjectMetadata: each[i/4%4], BucketMetadata: each[i/16]}
		a := f.signed("photos", f.account(t, fmt.Sprintf("ba-%d", i), grant), all)
		admin.prepare(t)
		for _, r := range routes() {
			got := a.try(t, r, admin)
			if what := fmt.Sprintf("the grant %q", modes(grant)); r.covers(modes(grant)) {
				r.checkAllowed(t, what, got)
			} else {
				r.checkRejected(t, what, got)
			}
		}
	}
}

// TestRoutesAndPermissions tries every operation with signatures that have one permission.
func TestRoutesAndPermissions(t *testing.T) {
	f := serve(t, azure.Options{})
	key := f.account(t, "ba-all", everything("photos"))
	admin := f.signed("photos", key, all)
	for letter := range strings.SplitSeq(all, "") {
		a := f.signed("photos", key, letter)
		admin.prepare(t)
		for _, r := range routes() {
			got := a.try(t, r, admin)
			if what := "the permission " + letter; strings.Contains(r.permissions, letter) {
				r.checkAllowed(t, what, got)
			} else {
				r.checkRejected(t, what, got)
			}
		}
	}
}

// TestForeignContainers tries every operation on containers without a grant, and on one that does
// not exist: the responses are the same.
func TestForeignContainers(t *testing.T) {
	f := serve(t, azure.Options{})
	f.container(t, "archive")
	if _, err := f.store.CreateBucket(t.Context(), fakedriver.BucketSpec{Name: "s3only", Owner: owner}); err != nil {
		t.Fatal(err)
	}
	photos := f.access(t)
	photos.prepare(t)
	key := f.account(t, "ba-archive", everything("archive"))
	s3Key := f.account(t, "ba-s3", everything("s3only"))
	archive := f.signed("archive", key, all)
	foreign := map[string]access{
		"its key": f.signed("photos", key, all), "its key, no container": f.signed("nothing", key, all),
		"its key, a bucket of S3": f.signed("s3only", key, all), "a key of S3": f.signed("s3only", s3Key, all),
	}
	for _, r := range routes() {
		for what, a := range foreign {
			if got := a.try(t, r, photos); got.status != http.StatusForbidden || got.code() != "AuthorizationFailure" {
				t.Errorf("%s with %s: %d %s", r, what, got.status, got.code())
			}
		}
		for what, a := range map[string]access{"the signature of archive": {f, "photos", archive.token}, "no container": {f,
			"nothing", archive.token}} {
			if got := a.try(t, r, photos); got.code() != "AuthenticationFailed" {
				t.Errorf("%s with %s: %d %s", r, what, got.status, got.code())
			}
		}
	}
	if got := f.send(t, http.MethodGet, f.address+"/"+sas.Account("photos")+"?comp=list&"+photos.token.Encode(),
		""); got.status != http.StatusForbidden {
		t.Errorf("the list of containers: %d %s", got.status, got.code())
	}
	if got := photos.content(t, "x"); got != blobContent {
		t.Errorf("the content of the foreign blob is %q", got)
	}
}
