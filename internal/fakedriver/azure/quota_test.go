package azure_test

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/fakedriver/azure"
)

// TestQuota: what would exceed the quota of a container is rejected, and changes nothing.
func TestQuota(t *testing.T) {
	const ok, exceeded = "OK", "QuotaExceeded"
	ten := strings.Repeat("x", 10)
	put := func(t *testing.T, a access, blob, body string) response {
		t.Helper()
		return a.do(t, http.MethodPut, blob, "", body, "X-Ms-Blob-Type: BlockBlob")
	}
	block := "comp=block&blockid=" + base64.StdEncoding.EncodeToString([]byte("1"))
	for name, tc := range map[string]struct {
		quota fakedriver.Quota
		do    func(t *testing.T, a access) response
		want  string
	}{
		"BlobFits":       {fakedriver.Quota{Bytes: 20}, func(t *testing.T, a access) response { return put(t, a, "b", ten) }, ok},
		"Blob":           {fakedriver.Quota{Bytes: 19}, func(t *testing.T, a access) response { return put(t, a, "b", ten) }, exceeded},
		"Replaced":       {fakedriver.Quota{Bytes: 19}, func(t *testing.T, a access) response { return put(t, a, "a", ten+ten[:9]) }, ok},
		"ReplacedLarger": {fakedriver.Quota{Bytes: 19}, func(t *testing.T, a access) response { return put(t, a, "a", ten+ten) }, exceeded},
		"Objects":        {fakedriver.Quota{Objects: 1}, func(t *testing.T, a access) response { return put(t, a, "b", "") }, exceeded},
		"Snapshot": {fakedriver.Quota{Objects: 1}, func(t *testing.T, a access) response {
			return a.do(t, http.MethodPut, "a", "comp=snapshot", "")
		}, exceeded},
		"Block": {fakedriver.Quota{Bytes: 19}, func(t *testing.T, a access) response {
			return a.do(t, http.MethodPut, "b", block, ten)
		}, exceeded},
		"Append": {fakedriver.Quota{Bytes: 19}, func(t *testing.T, a access) response {
			a.want(t, http.StatusCreated, a.do(t, http.MethodPut, "log", "", "", "X-Ms-Blob-Type: AppendBlob"))
			a.want(t, http.StatusCreated, a.do(t, http.MethodPut, "log", "comp=appendblock", ten[:9]))
			return a.do(t, http.MethodPut, "log", "comp=appendblock", "x")
		}, exceeded},
		"Copy": {fakedriver.Quota{Bytes: 19}, func(t *testing.T, a access) response {
			return a.do(t, http.MethodPut, "b", "", "", "X-Ms-Copy-Source: "+a.url("a", ""))
		}, exceeded},
		"Deletion": {fakedriver.Quota{Bytes: 10, Objects: 1}, func(t *testing.T, a access) response {
			a.want(t, http.StatusAccepted, a.do(t, http.MethodDelete, "a", "", ""))
			return put(t, a, "b", ten)
		}, ok},
	} {
		t.Run(name, func(t *testing.T) {
			f := serve(t, azure.Options{})
			spec := fakedriver.BucketSpec{Name: "limited", Owner: owner, Protocol: fakedriver.ProtocolAzure, Quota: tc.quota}
			if _, err := f.store.CreateBucket(t.Context(), spec); err != nil {
				t.Fatal(err)
			}
			a := f.signed("limited", f.account(t, "ba-limited", everything("limited")), all)
			a.want(t, http.StatusCreated, a.put(t, "a", ten))
			if got := tc.do(t, a); got.code() != tc.want {
				t.Errorf("got %d %q, want code %q: %s", got.status, got.code(), tc.want, got.body)
			}
		})
	}
}
