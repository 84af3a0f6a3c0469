package suite

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMemoryOfAll(t *testing.T) {
	t.Parallel()
	table := processTable{1: {0, 1}, 10: {1, 20}, 11: {10, 300}, 12: {11, 4000}, 13: {1, 50000}}
	for pid, want := range map[int]int{1: 54321, 10: 4320, 12: 4000} {
		if got, err := table.memoryOfAll(pid); got != want || err != nil {
			t.Errorf("process %d has %d bytes, %v; want %d", pid, got, err, want)
		}
	}
	if _, err := table.memoryOfAll(14); err == nil {
		t.Error("a process that does not exist has memory")
	}
}

func TestParseStat(t *testing.T) {
	t.Parallel()
	const after = " S 4711 0 0 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 9 1000000 25 18446744073709551615"
	want := process{parent: 4711, memory: 25 * os.Getpagesize()}
	for _, name := range []string{"(etcd)", "(a) 7 b)"} {
		got, err := parseStat([]byte("12 " + name + after))
		if err != nil || got != want {
			t.Errorf("%s: %v, %v; want %v", name, got, err, want)
		}
	}
	if _, err := parseStat([]byte("12 (etcd) S 1")); err == nil {
		t.Error("a short line has memory")
	}
}

func TestParsePS(t *testing.T) {
	t.Parallel()
	got, err := parsePS("    1     0   4096\n  300   1 1\n")
	if err != nil {
		t.Fatal(err)
	}
	want := processTable{1: {0, 4096 << 10}, 300: {1, 1 << 10}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(process{})); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	if _, err := parsePS("PID PPID RSS"); err == nil || !strings.Contains(err.Error(), "PID") {
		t.Errorf("a header is read as a process: %v", err)
	}
}

// TestOwnMemory asks the operating system.
func TestOwnMemory(t *testing.T) {
	t.Parallel()
	own, err := residentMemory(t.Context(), os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	all, err := residentMemoryOfAll(t.Context(), os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if own < 1<<20 || all < own/2 {
		t.Errorf("this process has %d bytes, and %d with its children", own, all)
	}
}
