package integration_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// offlineVariable is set in the test binary that TestOffline runs.
const offlineVariable = "COSI_EMU_TEST_OFFLINE"

// TestOffline: with nothing cached, no network and no go command, a test has an emulator at
// once. It runs in a test binary of its own, since all tests of one share a control plane.
func TestOffline(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a control plane")
	}
	if os.Getenv(offlineVariable) != "" {
		startOffline(t)
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx := harness.Context(t)
	cmd := exec.CommandContext(ctx, self, "-test.run=^TestOffline$", "-test.v")
	const nowhere = "http://127.0.0.1:1"
	cmd.Env = append(os.Environ(), offlineVariable+"=1", "COSI_EMU_TEST_CONTROL_PLANE=auto", "KUBEBUILDER_ASSETS=",
		"XDG_CACHE_HOME="+t.TempDir(), "HTTPS_PROXY="+nowhere, "HTTP_PROXY="+nowhere, "NO_PROXY=", "PATH="+t.TempDir())
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestOffline") {
		t.Fatalf("%v\n%s", err, out)
	}
	if !strings.Contains(string(out), "cosi-emu setup") {
		t.Errorf("the output does not say how to get the programs:\n%s", out)
	}
	t.Logf("%s", out)
}

// startOffline uses an emulator. How long its start takes, by itself, is for the log: the
// machine may be busy.
func startOffline(t *testing.T) {
	t.Helper()
	begin := time.Now()
	emu := emulatortest.Start(t, emulator.Options{})
	t.Logf("started after %v", time.Since(begin))
	emulatortest.Claim(t, emu, emulatortest.Namespace(t), "offline")
}
