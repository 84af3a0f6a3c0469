package protocol_test

import (
	"strings"
	"testing"
	"time"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs"
)

// TestQuota uploads in all ways to a bucket with a quota.
func TestQuota(t *testing.T) {
	f := serve(t, gcs.Options{})
	spec := fakedriver.BucketSpec{
		Name: "small", Owner: owner, Protocol: fakedriver.ProtocolGCS, Quota: fakedriver.Quota{Bytes: 10, Objects: 2},
	}
	if _, err := f.store.CreateBucket(t.Context(), spec); err != nil {
		t.Fatal(err)
	}
	account := f.account(t, "app", all("small"))
	key, now := bearer(account), time.Now().UTC()
	f.put(t, "small", "a", "123456", key)
	begin := request{method: "POST", path: "/upload/storage/v1/b/small/o?uploadType=resumable&name=x"}
	_, header, _ := f.do(t, begin, key)
	session := strings.TrimPrefix(header.Get("Location"), f.address)
	media := "/upload/storage/v1/b/small/o?uploadType=media&name="
	signed := request{method: "PUT", path: f.signedURL(account, "PUT", "/small/b", now, nil, nil), body: "12345"}
	for _, tc := range []struct {
		name string
		request
		key  string
		want int
		code string
	}{
		{"Bytes", request{method: "POST", path: media + "b", body: "12345"}, key, 403, `"reason":"quotaExceeded"`},
		{"Chunk", chunk(session, "12345", "0-4/5"), key, 403, `"reason":"quotaExceeded"`},
		{"XML", signed, "", 403, "<Code>QuotaExceeded</Code>"},
		{"Copy", request{method: "POST", path: "/storage/v1/b/small/o/a/copyTo/b/small/o/b"}, key, 403, `"reason":"quotaExceeded"`},
		{"Fits", request{method: "POST", path: media + "b", body: "1234"}, key, 200, ""},
		{"Objects", request{method: "POST", path: media + "c"}, key, 403, `"reason":"quotaExceeded"`},
		{"Replace", request{method: "POST", path: media + "a", body: "12"}, key, 200, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			status, _, body := f.do(t, tc.request, tc.key)
			if status != tc.want || !strings.Contains(string(body), tc.code) {
				t.Errorf("%d %s, want %d %s", status, body, tc.want, tc.code)
			}
		})
	}
}
