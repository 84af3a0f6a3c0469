package store_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptrace"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/cosi-emu/cosi-emu/internal/fakedriver/store"
)

// drip is a reader that gives one piece at a tick.
type drip struct {
	io.Reader

	tick  *time.Ticker
	piece int
}

func newDrip(t *testing.T, in io.Reader, every time.Duration, piece int) *drip {
	t.Helper()
	tick := time.NewTicker(every)
	t.Cleanup(tick.Stop)
	return &drip{in, tick, piece}
}

func (d *drip) Read(p []byte) (int, error) {
	<-d.tick.C
	return d.Reader.Read(p[:min(len(p), d.piece)])
}

// TestSteadyClients take far longer than the deadlines for a piece, and are served.
func TestSteadyClients(t *testing.T) {
	const limit = 800 * time.Millisecond // of which a busy machine may take a part
	s, c := fixture(t, store.Options{HeaderTimeout: limit, BodyTimeout: limit})
	content := bytes.Repeat([]byte("steady"), 4<<20)
	in := signed{
		method: http.MethodPut, path: "/photos/k", credentials: s.account(t, "app", readWrite("photos")),
		region: s.Region(), service: "s3", at: time.Now(),
		before: func(r *http.Request) {
			r.Header.Set("X-Amz-Content-Sha256", "UNSIGNED-PAYLOAD")
			r.ContentLength = int64(len(content))
			r.Body = io.NopCloser(newDrip(t, bytes.NewReader(content), 2*time.Millisecond, len(content)/1000))
		},
	}
	began := time.Now()
	if status, body := do(t, in.request(t, s)); status != http.StatusOK {
		t.Fatalf("answer %d: %s", status, body)
	}
	if took := time.Since(began); took < 2*limit {
		t.Errorf("the upload took %s only, so this test shows nothing", took)
	}
	out, err := c.GetObject(t.Context(), &s3.GetObjectInput{Bucket: ptr("photos"), Key: ptr("k")})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = out.Body.Close() }()
	began = time.Now()
	got, err := io.ReadAll(newDrip(t, out.Body, 2*time.Millisecond, len(content)/1000))
	if err != nil || !bytes.Equal(got, content) {
		t.Errorf("%d bytes came back, %v", len(got), err)
	}
	if took := time.Since(began); took < 2*limit {
		t.Errorf("the download took %s only, so this test shows nothing", took)
	}
}

// TestKeptConnection is used again when the deadlines of its first request have
// passed, by a client that waits to be asked for the body.
func TestKeptConnection(t *testing.T) {
	const limit = 300 * time.Millisecond
	s, _ := fixture(t, store.Options{BodyTimeout: limit})
	app := s.account(t, "app", readWrite("photos"))
	transport := &http.Transport{ExpectContinueTimeout: time.Minute, MaxConnsPerHost: 1}
	defer transport.CloseIdleConnections()
	for i := range 3 {
		in := signed{
			method: http.MethodPut, path: "/photos/k", body: "content", credentials: app, region: s.Region(), service: "s3", at: time.Now(),
		}
		r := in.request(t, s)
		r.Header.Set("Expect", "100-continue")
		asked, reused := false, false
		r = r.WithContext(httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{
			Got100Continue: func() { asked = true },
			GotConn:        func(info httptrace.GotConnInfo) { reused = info.Reused },
		}))
		response, err := transport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if err != nil || response.StatusCode != http.StatusOK || !asked || reused != (i > 0) {
			t.Errorf("request %d: answer %d, %v, asked %t, reused %t: %s", i, response.StatusCode, err, asked, reused, answer)
		}
		<-time.After(2 * limit) // the passing of time is what is tested
	}
}
