package protocol_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/httpserver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/pipeline"
	"github.com/cosi-emu/cosi-emu/internal/store"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// TestSlowBodies declares bodies that never arrive: other requests are served meanwhile, and
// finally the connection ends, with an error. The timeout is long enough for the others on a busy
// machine.
func TestSlowBodies(t *testing.T) {
	f := serveIn(t, gcs.Options{Options: pipeline.Options{Limits: httpserver.Limits{BodyTimeout: 3 * time.Second}}}, store.Options{})
	key := bearer(f.account(t, "app", all("photos")))
	t.Run("Bodies", func(t *testing.T) { // returns when all of them have ended
		for _, tc := range []struct {
			name, length, body string
			want               int
		}{
			{"Never", "100", "x", http.StatusRequestTimeout},
			{"Huge", "1000000000", "x", http.StatusRequestTimeout},
			{"TooLarge", "9223372036854775807", "x", http.StatusRequestEntityTooLarge},
		} {
			t.Run(tc.name, func(t *testing.T) {
				t.Parallel()
				conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(f.address, "http://"))
				if err != nil {
					t.Fatal(err)
				}
				defer func() { _ = conn.Close() }()
				if err := conn.SetDeadline(time.Now().Add(harness.Timeout)); err != nil {
					t.Fatal(err)
				}
				_, _ = fmt.Fprintf(conn, "POST %s&name=x HTTP/1.1\r\nHost: h\r\nAuthorization: %s\r\nContent-Length: %s\r\n\r\n%s",
					upload, key, tc.length, tc.body)
				if status, _, body := f.do(t, request{method: "POST", path: upload + "&name=other", body: "x"}, key); status != ok {
					t.Errorf("another client meanwhile: %d %s", status, body)
				}
				answer := bufio.NewReader(conn)
				response, err := http.ReadResponse(answer, nil)
				if err != nil {
					t.Fatal(err)
				}
				defer func() { _ = response.Body.Close() }()
				if response.StatusCode != tc.want {
					t.Errorf("status %d, want %d", response.StatusCode, tc.want)
				}
			})
		}
	})
	if status, _, _ := f.do(t, request{method: "GET", path: "/photos/x"}, key); status != http.StatusNotFound {
		t.Errorf("half an upload has become an object: %d", status)
	}
}
