package protocol_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs"
	"github.com/cosi-emu/cosi-emu/internal/store"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

const (
	killRounds  = 3
	killClients = 6
	// killAfter is the number of acknowledged requests before the process is killed.
	killAfter = 120
)

// TestKillChild is the process that TestKill kills. It prints its address and a key, and serves
// until then.
func TestKillChild(t *testing.T) {
	f := serveIn(t, gcs.Options{}, store.Options{Dir: harness.ChildDir(t)})
	harness.Tell(t, f.address+" "+bearer(f.account(t, "app", all("photos"))))
	<-t.Context().Done()
}

// TestKill repeatedly kills a process with a service in use, and expects all acknowledged objects,
// and every acknowledged byte of unfinished uploads.
func TestKill(t *testing.T) {
	dir := t.TempDir()
	clients := make([]*survivor, killClients)
	for i := range clients {
		clients[i] = &survivor{name: fmt.Sprint("client-", i)}
	}
	for range killRounds {
		useAndKill(t, dir, clients)
		t.Run("Reopen", func(t *testing.T) {
			f := serveIn(t, gcs.Options{}, store.Options{Dir: dir})
			key := bearer(f.account(t, "app", all("photos")))
			for _, client := range clients {
				client.expect(t, f, key)
			}
		})
	}
}

// useAndKill runs clients against a process, and kills it after enough acknowledged requests.
func useAndKill(t *testing.T, dir string, clients []*survivor) {
	t.Helper()
	child := harness.StartChild(t, "TestKillChild", dir)
	address, key, _ := strings.Cut(child.Greeting, " ")
	var requests []func() bool
	for _, client := range clients {
		requests = append(requests, func() bool { return client.step(t, address, key) })
	}
	child.UseAndKill(t, killAfter, requests...)
	child.Wait()
	http.DefaultClient.CloseIdleConnections()
}

// survivor is a client that repeatedly uploads an object in chunks. It remembers the acknowledged
// contents.
type survivor struct {
	name string
	// session is the path of the unfinished upload, sent its acknowledged content, and maybe the
	// content that may also have been stored.
	session, sent, maybe string
	// stored is the object that was acknowledged last, and instead one that may have replaced it.
	stored, instead string
	writes          int
}

const killChunks = 4

// step sends a request, and reports whether it was acknowledged.
func (s *survivor) step(t *testing.T, address, key string) bool {
	t.Helper()
	s.writes++
	if s.session == "" {
		location, ok := send(t, http.MethodPost, address+"/upload/storage/v1/b/photos/o?uploadType=resumable&name="+s.name, "", "", key)
		s.session = strings.TrimPrefix(location, address)
		return ok
	}
	// Both sides of the size at which contents become files.
	chunk := strings.Repeat(fmt.Sprintf("%s-%d ", s.name, s.writes), []int{1, 20_000}[s.writes%2])
	if s.writes%killChunks != 0 { // all chunks but the last are multiples of a quantum
		chunk = strings.Repeat(chunk, quantum/len(chunk)+1)[:quantum]
	}
	end := len(s.sent) + len(chunk)
	total := "*"
	isLast := s.writes%killChunks == 0
	if isLast {
		total = strconv.Itoa(end)
		s.instead = s.sent + chunk
	}
	s.maybe = chunk
	span := fmt.Sprintf("bytes %d-%d/%s", len(s.sent), end-1, total)
	if _, ok := send(t, http.MethodPut, address+s.session, chunk, span, key); !ok {
		return false
	}
	s.sent += chunk
	if isLast {
		s.stored, s.session, s.sent, s.instead = s.sent, "", "", ""
	}
	s.maybe = ""
	return true
}

// send sends a request, and returns the Location of the response, and whether it had one.
func send(t *testing.T, method, url, body, span, key string) (location string, ok bool) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return "", false
	}
	r.Header.Set("Authorization", key)
	if span != "" {
		r.Header.Set("Content-Range", span)
	}
	transport := http.DefaultTransport
	response, err := transport.RoundTrip(r)
	if err != nil {
		return "", false
	}
	_, err = io.Copy(io.Discard, response.Body)
	status := response.StatusCode
	return response.Header.Get("Location"), errors.Join(err, response.Body.Close()) == nil &&
		(status == http.StatusOK || status == http.StatusPermanentRedirect)
}

// expect compares the actual contents with the acknowledged ones, and continues from them.
func (s *survivor) expect(t *testing.T, f *fixture, key string) {
	t.Helper()
	if s.session != "" {
		s.expectSession(t, f, key)
	}
	s.maybe, s.instead = "", ""
	status, _, body := f.do(t, request{method: "GET", path: "/photos/" + s.name}, key)
	if status != ok && s.stored == "" {
		return
	}
	if string(body) != s.stored {
		t.Errorf("%s: the object has %d bytes (status %d), want %d", s.name, len(body), status, len(s.stored))
	}
}

// expectSession compares the unfinished upload with the acknowledged content.
func (s *survivor) expectSession(t *testing.T, f *fixture, key string) {
	t.Helper()
	status, header, body := f.do(t, chunk(s.session, "", "*/*"), key)
	have := 0
	if _, last, ok := strings.Cut(header.Get("Range"), "-"); ok {
		n, err := strconv.Atoi(last)
		if err != nil {
			t.Fatal(err)
		}
		have = n + 1
	}
	switch {
	case status == http.StatusPermanentRedirect && have == len(s.sent):
	case status == http.StatusPermanentRedirect && s.maybe != "" && have == len(s.sent)+len(s.maybe):
		s.sent += s.maybe
	case status == http.StatusOK && s.instead != "": // finished, but not acknowledged
		s.stored, s.session, s.sent = s.instead, "", ""
	default:
		t.Errorf("%s: %d %s, and %d bytes; want %d or %d more", s.name, status, body, have, len(s.sent), len(s.maybe))
	}
}
