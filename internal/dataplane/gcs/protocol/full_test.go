package protocol_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs"
	"github.com/cosi-emu/cosi-emu/internal/store"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// TestFullDisk fills the disk of a store by both APIs. The error names the cause; an unfinished
// upload keeps its acknowledged bytes, and continues once space is available.
func TestFullDisk(t *testing.T) {
	const size = 8 << 20
	dir := harness.SmallDisk(t, size)
	ballast := filepath.Join(dir, "ballast")
	if err := os.WriteFile(ballast, make([]byte, size/2), 0o600); err != nil {
		t.Fatal(err)
	}
	f := serveIn(t, gcs.Options{}, store.Options{Dir: filepath.Join(dir, "data")})
	account := f.account(t, "app", all("photos"))
	key := bearer(account)
	session := f.session(t, key)
	content := strings.Repeat("x", 256<<10)
	have := 0
	status, _, body := f.do(t, chunk(session, content, spanOf(have, len(content))), key)
	for ; status == http.StatusPermanentRedirect; status, _, body = f.do(t, chunk(session, content, spanOf(have, len(content))), key) {
		have += len(content)
	}
	if status != http.StatusInsufficientStorage || !strings.Contains(string(body), "insufficientStorage") {
		t.Errorf("a chunk on the full disk: %d %s", status, body)
	}
	put := request{method: "PUT", path: f.signedURL(account, "PUT", "/photos/y", time.Now().UTC(), nil, nil), body: content}
	if status, _, body := f.do(t, put, ""); status != http.StatusInsufficientStorage || !strings.Contains(string(body), "InternalError") {
		t.Errorf("PUT on the full disk: %d %s", status, body)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	if _, header, _ := f.do(t, chunk(session, "", "*/*"), key); header.Get("Range") != strings.TrimSuffix("bytes="+spanOf(0, have), "/*") {
		t.Errorf("after %d acknowledged bytes the upload has %q", have, header.Get("Range"))
	}
	if status, _, body := f.do(t, chunk(session, content, spanOf(have, len(content))), key); status != http.StatusPermanentRedirect {
		t.Errorf("with space again: %d %s", status, body)
	}
}

// spanOf is the Content-Range of a chunk of an unfinished upload.
func spanOf(from, size int) string { return fmt.Sprintf("%d-%d/*", from, from+size-1) }
