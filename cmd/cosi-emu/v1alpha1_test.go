package main_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
)

// TestDriverCommandV1alpha1 makes the emulator run a driver under the kinds of v1alpha1, without a
// bridge: its process is killed and restarted, and it is cleaned up at the end.
func TestDriverCommandV1alpha1(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	info := h.up("--api", "v1alpha1", "--driver-cmd", h.oldDriverCommand("-id-prefix", "arn:old:", "-late", "300ms"))
	c := connect(t, info.Kubeconfig)
	c.apply(h.must("example", "--api", "v1alpha1"))
	if key := h.awaitAccess("default")["AWS_SECRET_ACCESS_KEY"]; !strings.HasPrefix(key, "key-of-ba-") {
		t.Errorf("the application gets the key %q, want that of the driver", key)
	}
	kill(t, h.driverPID())
	h.expectLogs("listening at ", 2)
	c.remove(accessKey, &v1alpha1.BucketAccess{})
	c.remove(claimKey, &v1alpha1.BucketClaim{})
	state, err := os.ReadFile(filepath.Join(info.Dir, "run", "driver", "state.json"))
	if want := `{"buckets":{},"accounts":{}}`; string(state) != want || err != nil {
		t.Errorf("the driver has %s, %v, want %s", state, err, want)
	}
	h.must("down")
	h.expectNothingLeft()
}

// TestScenarioOfV1alpha1Page runs and explores the scenario of docs/v1alpha1.md.
func TestScenarioOfV1alpha1Page(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/v1alpha1.md")
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindSubmatch(page)
	if block == nil {
		t.Fatal("the page has no scenario")
	}
	h := newHome(t)
	h.write("old-claim.yaml", string(block[1]))
	if out := h.must("run", "old-claim.yaml"); !strings.Contains(out, "\n1 passed in ") {
		t.Errorf("the run prints\n%s", out)
	}
	r := h.run("explore", "old-claim.yaml", "--at", "sidecar *", "--sample", "2", "--parallel", "1", "-o", "json")
	if r.code != 0 || !strings.Contains(r.out, `"tried": 2`) || strings.Contains(r.out, "findings") {
		t.Errorf("explore: exit code %d\n%s%s", r.code, r.out, r.err)
	}
	h.expectNothingLeft()
}
