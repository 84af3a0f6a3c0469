package blobstore_test

import (
	"bufio"
	"context"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/cosi-emu/cosi-emu/internal/store/blobstore"
)

const (
	crashDir   = "VAULT_TEST_CRASH_DIR"
	crashRound = "VAULT_TEST_CRASH_ROUND"
	writers    = 8
	rounds     = 15
)

// crashSizes are sizes on both sides of the limit. A record's blob follows from its key, so that a
// reader can verify it.
var crashSizes = []int{0, 300, 5000, 65535, 65536, 200_000}

// TestCrash repeatedly kills a process while it stores and removes things, and expects all
// confirmed changes, and nothing partial.
func TestCrash(t *testing.T) {
	dir := t.TempDir()
	seed := rand.Uint64() //nolint:gosec // not for cryptography
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // not for cryptography
	told := map[string]string{}              // the last message about every thing
	for round := range rounds {
		for _, line := range crash(t, dir, round, 16+random.IntN(150)) {
			word, key, _ := strings.Cut(line, " ")
			told[key] = word
		}
		expectTold(t, dir, told)
	}
	if len(told) < rounds*writers {
		t.Errorf("only %d things have been stored", len(told))
	}
}

// crash runs a process that prints its changes, and kills it after some lines.
func crash(t *testing.T, dir string, round, after int) []string {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestCrashChild$") //nolint:gosec // this very program
	child.Env = append(os.Environ(), crashDir+"="+dir, fmt.Sprint(crashRound, "=", round))
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	var lines []string
	scanner := bufio.NewScanner(out)
	for scanner.Scan() {
		if lines = append(lines, scanner.Text()); len(lines) == after {
			if err := child.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = child.Wait() // killed
	if len(lines) < after {
		t.Fatalf("the child has ended after %q", lines)
	}
	return lines
}

func expectTold(t *testing.T, dir string, told map[string]string) {
	t.Helper()
	v := open(t, dir)
	defer shut(t, v)
	things := loaded(t, v)
	for key, word := range told {
		// An attempted change has happened completely or not.
		_, there := things[key]
		if word == "stored" && !there {
			t.Errorf("%s is gone", key)
		} else if word == "removed" && there {
			t.Errorf("%s is there again", key)
		}
		told[key] = "removed"
	}
	large := 0
	for key, b := range things {
		told[key] = "stored"
		expect(t, b, crashContent(key))
		if b.Size() >= 64<<10 {
			large++
		}
	}
	if got := len(files(t, dir)); got != large {
		t.Errorf("there are %d files for %d large blobs", got, large)
	}
}

func crashContent(key string) []byte {
	seed := int(crc32.ChecksumIEEE([]byte(key)))
	return content(seed, crashSizes[seed%len(crashSizes)])
}

// TestCrashChild is the process that TestCrash kills.
func TestCrashChild(t *testing.T) {
	dir := os.Getenv(crashDir)
	if dir == "" {
		t.Skip("only of use to TestCrash")
	}
	v := open(t, dir)
	things := loaded(t, v)
	var all sync.WaitGroup
	for w := range writers {
		mine := fmt.Sprintf("%s-%d-", os.Getenv(crashRound), w)
		all.Go(func() { storeAndRemove(t.Context(), v, mine, things) })
		things = nil // the first writer removes it
	}
	all.Wait()
}

// storeAndRemove stores things with a prefix, removes half of them and some earlier ones, and
// prints its changes.
func storeAndRemove(ctx context.Context, v blobstore.Store, prefix string, old map[string]blobstore.Blob) {
	for i := 0; ctx.Err() == nil; i++ {
		key := fmt.Sprint(prefix, i)
		w := v.Create()
		_, err := w.Write(crashContent(key))
		mustChild(err)
		b, err := w.Seal()
		mustChild(err)
		say("storing", key)
		mustChild(v.Commit(blobstore.Batch{Changes: []blobstore.Change{change(key, b)}, Blobs: []blobstore.Blob{b}}))
		say("stored", key)
		if i%2 == 0 {
			removeThing(v, key, b)
		}
		for key, b := range old {
			removeThing(v, key, b)
			delete(old, key)
			break
		}
	}
}

func removeThing(v blobstore.Store, key string, b blobstore.Blob) {
	say("removing", key)
	mustChild(v.Commit(blobstore.Batch{Changes: []blobstore.Change{remove(key)}}))
	say("removed", key)
	b.Release()
}

// say prints a line at once, so that a reader gets it even if it is the last.
func say(word, key string) {
	_, err := os.Stdout.WriteString(word + " " + key + "\n")
	mustChild(err)
}

func mustChild(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
