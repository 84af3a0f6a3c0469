package store_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptrace"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/cosi-emu/cosi-emu/test/s3test"
)

// drip is a reader with a rate in bytes per second of the bubble's clock, in small pieces, so that
// no piece takes as long as a deadline.
type drip struct {
	io.Reader

	rate int
}

func (d *drip) Read(p []byte) (int, error) {
	n, err := d.Reader.Read(p[:min(len(p), 4<<10)])
	time.Sleep(time.Duration(n) * time.Second / time.Duration(d.rate)) //nolint:forbidigo // the bubble's time
	return n, err
}

// TestSteadyClients: clients that take far longer than the deadlines for a piece are served.
func TestSteadyClients(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const limit, rate, total = time.Second, 300 << 10, 20 * 300 << 10
		s := s3test.ServeInMemory(t, s3test.Options{HeaderTimeout: limit, BodyTimeout: limit})
		c := s.App(t)
		content := bytes.Repeat([]byte("steady "), total/7+1)[:total]
		in := s3test.Signed{
			Method: http.MethodPut, Path: "/photos/k", Credentials: s.Account(t, "app", s3test.ReadWrite("photos")),
			Region: s.Region(), Service: "s3", At: time.Now(),
			Before: func(r *http.Request) {
				r.Header.Set("X-Amz-Content-Sha256", "UNSIGNED-PAYLOAD")
				r.ContentLength = int64(len(content))
				r.Body = io.NopCloser(&drip{bytes.NewReader(content), rate})
			},
		}
		began := time.Now()
		response, err := s.Transport(t).RoundTrip(in.Request(t, s))
		if err != nil || response.StatusCode != http.StatusOK {
			t.Fatalf("answer %v, %v", response, err)
		}
		_ = response.Body.Close()
		if took := time.Since(began); took < 10*limit {
			t.Errorf("the upload took %s only, so this test shows nothing", took)
		}
		out, err := c.GetObject(t.Context(), &s3.GetObjectInput{Bucket: new("photos"), Key: new("k")})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = out.Body.Close() }()
		began = time.Now()
		got, err := io.ReadAll(&drip{out.Body, rate})
		if err != nil || !bytes.Equal(got, content) {
			t.Errorf("%d bytes came back, %v", len(got), err)
		}
		if took := time.Since(began); took < 10*limit {
			t.Errorf("the download took %s only, so this test shows nothing", took)
		}
	})
}

// TestKeptConnection reuses a connection after the deadlines of its first request, by a client that
// waits for 100 Continue.
func TestKeptConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const limit = 10 * time.Second
		s := s3test.ServeInMemory(t, s3test.Options{BodyTimeout: limit, IdleTimeout: time.Hour})
		s.Bucket(t, "photos")
		app := s.Account(t, "app", s3test.ReadWrite("photos"))
		transport := s.Transport(t)
		transport.ExpectContinueTimeout, transport.MaxConnsPerHost = time.Minute, 1
		for i := range 3 {
			in := s3test.Signed{
				Method: http.MethodPut, Path: "/photos/k", Body: "content", Credentials: app, Region: s.Region(), Service: "s3", At: time.Now(),
			}
			r := in.Request(t, s)
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
			time.Sleep(2 * limit) //nolint:forbidigo // the bubble's time
		}
	})
}
