package main_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/binaries/binariestest"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/kind"
	"github.com/cosi-emu/cosi-emu/internal/instance"
)

// TestSnapshot saves a snapshot, describes it, and starts from it.
func TestSnapshot(t *testing.T) {
	t.Parallel()
	saveAndStart(t, emulator.ControlPlaneEmbedded)
}

func TestProgramsSnapshot(t *testing.T) {
	t.Parallel()
	binariestest.Find(t)
	saveAndStart(t, emulator.ControlPlaneEnvtest)
}

func saveAndStart(t *testing.T, plane emulator.ControlPlaneKind) {
	t.Helper()
	h := newHomeOn(t, kind.Kind(plane))
	first := h.up()
	secret := connect(t, first.Kubeconfig).quickstart()
	openBucket(secret).put(t, "hello.txt", "hello")
	if out := h.must("snapshot", "save", "my.snapshot"); !strings.Contains(out, "up --from my.snapshot") ||
		!strings.Contains(out, "It contains secrets") {
		t.Errorf("snapshot save prints\n%s", out)
	}
	h.expectMode("my.snapshot", 0o600)
	h.rejected("already exists", "snapshot", "save", "my.snapshot")
	var saved emulator.SnapshotInfo
	h.json(&saved, "snapshot", "save", "my.snapshot", "--force", "-o", "json")
	h.expectInspected(saved, plane, secret)
	h.must("down")
	h.expectNothingLeft()

	h.expectRestored(h.up("--from", "my.snapshot"), secret)
	h.must("down")
	h.expectNothingLeft()
}

func (h *home) json(into any, args ...string) {
	h.t.Helper()
	if out := h.must(args...); json.Unmarshal([]byte(out), into) != nil {
		h.t.Fatalf("cosi-emu %s prints\n%s", strings.Join(args, " "), out)
	}
}

func (h *home) expectMode(name string, want os.FileMode) {
	h.t.Helper()
	info, err := os.Stat(filepath.Join(h.dir, name))
	if err != nil || info.Mode().Perm() != want {
		h.t.Errorf("%s has mode %v, %v; want %v", name, info.Mode(), err, want)
	}
}

// expectInspected compares both descriptions of my.snapshot with the saved state.
func (h *home) expectInspected(saved emulator.SnapshotInfo, kind emulator.ControlPlaneKind, secret map[string]string) {
	h.t.Helper()
	var inspected emulator.SnapshotInfo
	h.json(&inspected, "snapshot", "inspect", "my.snapshot", "-o", "json")
	if diff := cmp.Diff(saved, inspected); diff != "" {
		h.t.Errorf("snapshot inspect: -saved, +inspected:\n%s", diff)
	}
	if inspected.ControlPlane != kind || inspected.API != objectstorage.V1alpha2 || inspected.StoredObjects != 1 ||
		inspected.Objects["BucketClaim"] != 1 || inspected.Accounts < 1 {
		h.t.Errorf("snapshot inspect: %+v", inspected)
	}
	text := h.must("snapshot", "inspect", "my.snapshot")
	for _, want := range []string{string(kind) + ", Kubernetes v", "v1alpha2", "1 BucketClaim", "1, 5 bytes", saved.Buckets[0]} {
		if !strings.Contains(text, want) {
			h.t.Errorf("snapshot inspect does not print %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, secret[v1alpha2.SecretKeyS3SecretAccessKey]) {
		h.t.Error("snapshot inspect prints a key")
	}
}

// expectRestored expects the Secret, and the object that its key opens. 'up' must report another
// port.
func (h *home) expectRestored(info instance.Info, secret map[string]string) {
	h.t.Helper()
	if info.S3Endpoint != secret[v1alpha2.SecretKeyS3Endpoint] {
		h.t.Fatalf("S3 is at %s, want the port of the snapshot, which is free: %s", info.S3Endpoint, secret[v1alpha2.SecretKeyS3Endpoint])
	}
	if diff := cmp.Diff(secret, connect(h.t, info.Kubeconfig).secret()); diff != "" {
		h.t.Errorf("the Secret: -before, +after:\n%s", diff)
	}
	if got := openBucket(secret).get(h.t, "hello.txt"); got != "hello" {
		h.t.Errorf("the object is %q", got)
	}
}

// TestSnapshotPort starts from a snapshot while its emulator still has the port. 'up' explains the
// consequences.
func TestSnapshotPort(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	first := h.up("--control-plane", "embedded")
	secret := connect(t, first.Kubeconfig).quickstart()
	openBucket(secret).put(t, "hello.txt", "hello")
	h.must("snapshot", "save", "my.snapshot")
	banner := h.must("up", "--name", "second", "-d", "--from", "my.snapshot")
	second := h.info("status", "--name", "second", "-o", "json")
	for _, want := range []string{"Warning: S3 listens on port ", "which another program uses", "the Secrets"} {
		if !strings.Contains(banner, want) {
			t.Errorf("up does not print %q:\n%s", want, banner)
		}
	}
	expectData(t, second, secret)
	h.must("down", "--all")
	h.expectNothingLeft()
}

// TestBadSnapshots: an unsuitable file starts nothing.
func TestBadSnapshots(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.up("--control-plane", "embedded")
	h.must("snapshot", "save", "my.snapshot")
	h.must("down")
	content := h.read("my.snapshot")
	// from writes a snapshot, and starts from it.
	from := func(content string, mode os.FileMode, flags ...string) func(*home) []string {
		return func(h *home) []string {
			file := filepath.Join(h.dir, "my.snapshot")
			if err := os.WriteFile(file, []byte(content), mode); err != nil {
				h.t.Fatal(err)
			}
			return append([]string{"up", "--from", "my.snapshot"}, flags...)
		}
	}
	damaged := []byte(content)
	damaged[len(damaged)-20] ^= 1
	expectRejected(t, map[string]invalidInput{
		"Mode": {
			reason: "others can read the keys", args: from(content, 0o644), code: 2,
			says: []string{"my.snapshot", "contains secrets", "chmod 600"},
		},
		"Damaged": {
			reason: "a bit has changed", args: from(string(damaged), 0o600), code: 2,
			says: []string{"my.snapshot", "is damaged", "copy it again"},
		},
		"Truncated": {
			reason: "it was not copied to the end", args: from(content[:len(content)/2], 0o600), code: 2,
			says: []string{"is damaged", "should have"},
		},
		"Foreign": {
			reason: "it is something else", args: from("kind: Pod\n", 0o600), code: 2, says: []string{"is not a snapshot of cosi-emu"},
		},
		"Missing": {
			reason: "there is no file", args: command("up", "--from", "other.snapshot"), code: 2, says: []string{"other.snapshot", "no such file"},
		},
		"Format": {
			reason: "a later version has written it", code: 2, says: []string{"cosi-emu.snapshot/v2", "use the version of cosi-emu that saved it"},
			args: from(strings.Replace(content, "cosi-emu.snapshot/v1 ", "cosi-emu.snapshot/v2 ", 1), 0o600),
		},
		"API": {
			reason: "it has the other COSI kinds", args: from(content, 0o600, "--api", "v1alpha1"), code: 2,
			says: []string{"kinds of v1alpha2, and not of v1alpha1", "migrate"},
		},
		"ControlPlane": {
			reason: "the control plane cannot read it", args: from(content, 0o600, "--control-plane", "envtest"), code: 2,
			says: []string{"choose control plane embedded"},
		},
		"Driver": {
			reason: "the backend is another one", args: from(content, 0o600, "--driver", "unix:///tmp/x.sock"), code: 2,
			says: []string{"requires the fake driver"},
		},
		"Inspect": {
			reason: "inspect verifies, too", code: 2, says: []string{"is damaged"},
			args: func(h *home) []string {
				from(string(damaged), 0o600)(h)
				return []string{"snapshot", "inspect", "my.snapshot"}
			},
		},
		"NotRunning": {
			reason: "there is no emulator", args: command("snapshot", "save", "my.snapshot"), code: 1, says: []string{"cosi-emu up"},
		},
	})
}

// TestSnapshotUnsupported: a snapshot does not contain the backend of another driver.
func TestSnapshotUnsupported(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.up("--control-plane", "embedded", "--no-fake-driver")
	h.rejected("contents of another cluster or backend", "snapshot", "save", "my.snapshot")
	if _, err := os.Stat(filepath.Join(h.dir, "my.snapshot")); !os.IsNotExist(err) {
		t.Errorf("a file is left: %v", err)
	}
}
