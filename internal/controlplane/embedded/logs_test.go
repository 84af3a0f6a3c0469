package embedded_test

import (
	"os"
	"strings"
	"testing"

	"k8s.io/klog/v2"

	"github.com/cosi-emu/cosi-emu/internal/controlplane"
)

// TestLogs: the log contains the messages of its libraries, and none of the
// program's.
func TestLogs(t *testing.T) {
	c := start(t, controlplane.Options{})
	klog.Info("a line of the program")
	content, err := os.ReadFile(c.LogFile(controlplane.APIServer))
	if err != nil {
		t.Fatal(err)
	}
	if log := string(content); !strings.Contains(log, "] Adding GroupVersion") || strings.Contains(log, "a line of the program") {
		t.Errorf("the log is\n%s", log)
	}
}
