package store_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/test/harness"
	"github.com/cosi-emu/cosi-emu/test/s3test"
)

const (
	killRounds  = 3
	killClients = 16
)

// TestKill repeatedly kills a process with a store that 16 clients use, and expects all
// acknowledged changes, and nothing partial.
func TestKill(t *testing.T) {
	dir := t.TempDir()
	seed := rand.Uint64() //nolint:gosec // not for cryptography
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // not for cryptography
	clients := make([]*survivor, killClients)
	for i := range clients {
		clients[i] = newSurvivor(i, seed)
	}
	books := accounts{}
	for range killRounds {
		enough := 150 + random.Int64N(250)
		useAndKill(t, dir, clients, books, enough)
		t.Run("Reopen", func(t *testing.T) {
			s := s3test.Serve(t, s3test.Options{Dir: dir})
			books.expect(t, s)
			c := s.Client(t, addSurvivors(t, s))
			for _, client := range clients {
				client.expect(t, c)
			}
		})
	}
	t.Run("Clear", func(t *testing.T) { expectNothingLeft(t, dir, clients) })
}

// useAndKill runs clients against a process, and kills it after enough acknowledgements.
func useAndKill(t *testing.T, dir string, clients []*survivor, books accounts, enough int64) {
	t.Helper()
	child := harness.StartChild(t, "TestKillChild", dir)
	var url, accessKeyID, secret string
	if _, err := fmt.Sscan(child.Greeting, &url, &accessKeyID, &secret); err != nil {
		t.Fatalf("%v: %s", err, child.Greeting)
	}
	var listener sync.WaitGroup
	listener.Go(func() {
		for child.Lines.Scan() {
			books.hear(t, child.Lines.Bytes())
		}
	})
	var requests []func() bool
	for _, client := range clients {
		client.killed = child.IsKilled
		client.c = s3.New(s3.Options{
			BaseEndpoint: &url, Region: fakedriver.DefaultRegion, UsePathStyle: true, RetryMaxAttempts: 1,
			Credentials: credentials.NewStaticCredentialsProvider(accessKeyID, secret, ""),
		})
		requests = append(requests, func() bool { return client.step(t) })
	}
	child.UseAndKill(t, enough, requests...)
	listener.Wait()
	child.Wait()
}

// expectNothingLeft deletes everything, and expects that no file of a blob remains.
func expectNothingLeft(t *testing.T, dir string, clients []*survivor) {
	t.Helper()
	s := s3test.Serve(t, s3test.Options{Dir: dir})
	c := s.Client(t, addSurvivors(t, s))
	for _, client := range clients {
		client.clear(t, c)
	}
	for _, bucket := range []string{"photos", "albums"} {
		if err := s.DeleteBucket(t.Context(), s3test.Owner, bucket); err != nil {
			t.Error(err)
		}
	}
	blobs, err := os.ReadDir(filepath.Join(dir, "blobs"))
	if err != nil || len(blobs) > 0 {
		t.Errorf("%d blobs are left, %v", len(blobs), err)
	}
}

// accounts are the accounts that the process has printed: by ID the secret, empty for a deleted
// account. Accounts with an open change are missing.
type accounts map[string]string

func (a accounts) hear(t *testing.T, line []byte) {
	t.Helper()
	word, rest, _ := strings.Cut(string(line), " ")
	id, secret, _ := strings.Cut(rest, " ")
	switch word {
	case "changing":
		delete(a, id)
	case "account":
		a[id] = secret
	case "gone":
		a[id] = ""
	default:
		t.Errorf("the process has said %q", line)
	}
}

func (a accounts) expect(t *testing.T, s *s3test.Server) {
	t.Helper()
	if len(a) == 0 {
		t.Error("the process has told of no account")
	}
	there := map[string]bool{}
	all, err := s.Accounts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, account := range all {
		there[account.ID] = true
	}
	for id, secret := range a {
		if there[id] != (secret != "") {
			t.Errorf("account %q is there: %t", id, there[id])
		} else if secret != "" && s.Account(t, id, s3test.ReadWrite("photos")).SecretAccessKey != secret {
			t.Errorf("account %q has another secret", id)
		}
	}
}
