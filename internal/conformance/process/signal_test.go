package process_test

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/cosi-emu/cosi-emu/internal/osprocess"
)

func kill(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || pid <= 1 {
		t.Fatalf("process %q: %v", text, err)
	}
	if err := osprocess.Signal(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
}
