package azure_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure"
	"github.com/cosi-emu/cosi-emu/internal/store"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

const (
	killRounds  = 3
	killClients = 8
	// killAfter is the number of acknowledged requests before the process is killed.
	killAfter = 200
)

// TestKillChild is the process that TestKill kills. It prints the URL of the container, and serves
// until then.
func TestKillChild(t *testing.T) {
	a := serveIn(t, azure.Options{}, store.Options{Dir: harness.ChildDir(t)}).access(t)
	harness.Tell(t, a.url("", ""))
	<-t.Context().Done()
}

// TestKill repeatedly kills a process with a service in use, and expects all acknowledged changes,
// and nothing partial.
func TestKill(t *testing.T) {
	dir := t.TempDir()
	clients := make([]*survivor, killClients)
	for i := range clients {
		clients[i] = &survivor{name: fmt.Sprint("client-", i)}
	}
	for range killRounds {
		useAndKill(t, dir, clients)
		t.Run("Reopen", func(t *testing.T) {
			a := serveIn(t, azure.Options{}, store.Options{Dir: dir}).access(t)
			for _, client := range clients {
				client.expect(t, a)
			}
		})
	}
}

// useAndKill runs clients against a process, and kills it after enough acknowledged requests.
func useAndKill(t *testing.T, dir string, clients []*survivor) {
	t.Helper()
	child := harness.StartChild(t, "TestKillChild", dir)
	var requests []func() bool
	for _, client := range clients {
		step := 0
		requests = append(requests, func() bool {
			step++
			return client.step(t, child.Greeting, step-1)
		})
	}
	child.UseAndKill(t, killAfter, requests...)
	child.Wait()
	http.DefaultClient.CloseIdleConnections()
}

// survivor is a client with three blobs of its own: one that is put, one that is appended to, and
// one that is committed from blocks. It remembers the acknowledged contents.
type survivor struct {
	name string
	// put, log and blocks are the acknowledged contents, and possibly the content of an
	// unacknowledged request.
	put, log, blocks kept
	staged           bool
	writes           int
}

// kept is an acknowledged content, and one that may have been stored instead.
type kept struct {
	content, maybe string
	exists, unsure bool
}

// begin remembers the change of a request, and returns a function for its acknowledgement.
func (k *kept) begin(content string) func() {
	k.maybe, k.unsure = content, true
	return func() { *k = kept{content: content, exists: true} }
}

func (k *kept) allows(got response) bool {
	if got.status != http.StatusOK {
		return got.status == http.StatusNotFound && !k.exists
	}
	return k.exists && got.body == k.content || k.unsure && got.body == k.maybe
}

// step makes a change, and reports whether it was acknowledged.
func (s *survivor) step(t *testing.T, location string, step int) bool {
	t.Helper()
	s.writes++
	// Both sides of the size at which contents become files.
	content := strings.Repeat(fmt.Sprintf("%s-%d ", s.name, s.writes), []int{1, 20_000}[step/4%2])
	send := func(change func(), blob, query, body string, headers ...string) bool {
		if !s.send(t, location, blob, query, body, headers...) {
			return false
		}
		change()
		return true
	}
	switch {
	case !s.log.exists:
		return send(s.log.begin(""), "/log", "", "", "AppendBlob")
	case step%4 == 0:
		return send(s.put.begin(content), "/put", "", content, "BlockBlob")
	case step%4 == 1:
		return send(s.log.begin(s.log.content+content), "/log", "&comp=appendblock", content)
	case step%4 == 2:
		s.staged = false
		s.blocks.maybe = content
		return send(func() { s.staged = true }, "/blocks", "&comp=block&blockid="+blockID("abc"), content)
	case s.staged:
		done := s.blocks.begin(s.blocks.maybe)
		return send(func() { done(); s.staged = false }, "/blocks", "&comp=blocklist", blockList("Uncommitted:abc"))
	default:
		return true
	}
}

// send sends a request that creates something, and reports whether it was acknowledged.
func (s *survivor) send(t *testing.T, location, blob, query, body string, types ...string) bool {
	t.Helper()
	container, token, _ := strings.Cut(location, "?")
	target := container + "/" + s.name + blob + "?" + token + query
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPut, target, strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return false
	}
	for _, kind := range types {
		request.Header.Set("X-Ms-Blob-Type", kind)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	_, err = io.Copy(io.Discard, response.Body)
	return errors.Join(err, response.Body.Close()) == nil && response.StatusCode == http.StatusCreated
}

// expect compares the blobs with the acknowledged contents, and takes over the actual ones.
func (s *survivor) expect(t *testing.T, a access) {
	t.Helper()
	if s.staged && !s.blocks.unsure {
		list := a.do(t, http.MethodGet, s.name+"/blocks", "comp=blocklist&blocklisttype=uncommitted", "")
		if !strings.Contains(list.body, "<Name>"+blockID("abc")+"</Name>") {
			t.Errorf("%s: the uncommitted block is lost: %s", s.name, list.body)
		}
	}
	for blob, k := range map[string]*kept{"put": &s.put, "log": &s.log, "blocks": &s.blocks} {
		got := a.do(t, http.MethodGet, s.name+"/"+blob, "", "")
		if !k.allows(got) {
			t.Errorf("%s/%s: %d with %d bytes, want %d or (%t) %d bytes", s.name, blob, got.status, len(got.body), len(k.content),
				k.unsure, len(k.maybe))
		}
		*k = kept{}
		if got.status == http.StatusOK {
			*k = kept{content: got.body, exists: true}
		}
	}
	s.staged = false
}
