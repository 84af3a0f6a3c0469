package azure_test

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure"
)

// TestQuota: a request that would exceed the quota of a container is rejected, and changes nothing.
// The container has the blob a with 10 bytes.
func TestQuota(t *testing.T) {
	const ok, exceeded, blockType, source = "OK", "QuotaExceeded", "X-Ms-Blob-Type: BlockBlob", "SOURCE"
	type request struct{ method, blob, query, body, header string }
	ten := strings.Repeat("x", 10)
	block := "comp=block&blockid=" + base64.StdEncoding.EncodeToString([]byte("1"))
	for name, tc := range map[string]struct {
		quota  fakedriver.Quota
		before []request
		try    request
		want   string
	}{
		"BlobFits":       {fakedriver.Quota{Bytes: 20}, nil, request{http.MethodPut, "b", "", ten, blockType}, ok},
		"Blob":           {fakedriver.Quota{Bytes: 19}, nil, request{http.MethodPut, "b", "", ten, blockType}, exceeded},
		"Replaced":       {fakedriver.Quota{Bytes: 19}, nil, request{http.MethodPut, "a", "", ten + ten[1:], blockType}, ok},
		"ReplacedLarger": {fakedriver.Quota{Bytes: 19}, nil, request{http.MethodPut, "a", "", ten + ten, blockType}, exceeded},
		"Objects":        {fakedriver.Quota{Objects: 1}, nil, request{http.MethodPut, "b", "", "", blockType}, exceeded},
		"Snapshot":       {fakedriver.Quota{Objects: 1}, nil, request{http.MethodPut, "a", "comp=snapshot", "", ""}, exceeded},
		"Block":          {fakedriver.Quota{Bytes: 19}, nil, request{http.MethodPut, "b", block, ten, ""}, exceeded},
		"Append": {fakedriver.Quota{Bytes: 19}, []request{
			{http.MethodPut, "log", "", "", "X-Ms-Blob-Type: AppendBlob"},
			{http.MethodPut, "log", "comp=appendblock", ten[1:], ""},
		}, request{http.MethodPut, "log", "comp=appendblock", "x", ""}, exceeded},
		"Copy": {fakedriver.Quota{Bytes: 19}, nil, request{http.MethodPut, "b", "", "", source}, exceeded},
		"Deletion": {
			fakedriver.Quota{Bytes: 10, Objects: 1},
			[]request{{http.MethodDelete, "a", "", "", ""}},
			request{http.MethodPut, "b", "", ten, blockType}, ok,
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := serve(t, azure.Options{})
			spec := fakedriver.BucketSpec{Name: "limited", Owner: owner, Protocol: fakedriver.ProtocolAzure, Quota: tc.quota}
			if _, err := f.store.CreateBucket(t.Context(), spec); err != nil {
				t.Fatal(err)
			}
			a := f.signed("limited", f.account(t, "ba-limited", everything("limited")), all)
			send := func(r request) response {
				header := []string{r.header}
				switch r.header {
				case "":
					header = nil
				case source:
					header = []string{"X-Ms-Copy-Source: " + a.url("a", "")}
				}
				return a.do(t, r.method, r.blob, r.query, r.body, header...)
			}
			a.put(t, "a", ten)
			for _, r := range tc.before {
				if got := send(r); got.code() != ok {
					t.Fatalf("%v: %d %s", r, got.status, got.body)
				}
			}
			if got := send(tc.try); got.code() != tc.want {
				t.Errorf("got %d %q, want %q: %s", got.status, got.code(), tc.want, got.body)
			}
			if tc.want == ok {
				return
			}
			if got := a.content(t, "a"); got != ten {
				t.Errorf("the blob a has become %q", got)
			}
		})
	}
}
