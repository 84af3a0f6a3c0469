package emulator_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/fakedriver"
)

// TestSnapshotRejected starts nothing from a file, or with options, that do not fit.
func TestSnapshotRejected(t *testing.T) {
	good := filepath.Join(t.TempDir(), "good")
	emu, stop := startOwn(t, emulator.Options{ControlPlaneKind: emulator.ControlPlaneEmbedded})
	if _, err := emu.SaveSnapshot(t.Context(), good, false); err != nil {
		t.Fatal(err)
	}
	stop()
	content, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	occupied := t.TempDir()
	if err := os.WriteFile(filepath.Join(occupied, "other"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		content []byte
		mode    os.FileMode
		opts    emulator.Options
		want    error
		hint    string
	}{
		"Damaged":   {content: flip(content, len(content)-100), want: emulator.ErrSnapshotDamaged, hint: "save another snapshot"},
		"Manifest":  {content: flip(content, 200), want: emulator.ErrSnapshotDamaged, hint: "manifest"},
		"Truncated": {content: content[:len(content)/2], want: emulator.ErrSnapshotDamaged, hint: "should have"},
		"Headless":  {content: content[:40], want: emulator.ErrSnapshotDamaged},
		"Longer":    {content: append(slices.Clone(content), 'x'), want: emulator.ErrSnapshotDamaged, hint: "should have"},
		"Foreign":   {content: []byte("apiVersion: v1\nkind: Pod\n"), want: emulator.ErrSnapshotForeign, hint: "snapshot save"},
		"Empty":     {want: emulator.ErrSnapshotForeign},
		"Later": {
			content: []byte(strings.Replace(string(content), "cosi-emu.snapshot/v1 ", "cosi-emu.snapshot/v9 ", 1)),
			want:    emulator.ErrSnapshotFormat, hint: "use the version of cosi-emu that saved it",
		},
		"Readable": {content: content, mode: 0o644, want: emulator.ErrSnapshotMode, hint: "chmod 600"},
		"OtherPlane": {
			content: content, opts: emulator.Options{ControlPlaneKind: emulator.ControlPlaneEnvtest}, want: emulator.ErrOptions,
			hint: "choose control plane embedded",
		},
		"OtherVersion": {
			content: content, opts: emulator.Options{API: objectstorage.V1alpha1}, want: emulator.ErrOptions, hint: "kinds of v1alpha2",
		},
		"OtherDriver": {
			content: content, opts: emulator.Options{DriverNames: []string{"other.test"}}, want: emulator.ErrOptions,
			hint: "--driver-name " + fakedriver.DefaultName,
		},
		"TLS":      {content: content, opts: emulator.Options{TLS: true}, want: emulator.ErrOptions, hint: "start without TLS"},
		"NoDriver": {content: content, opts: emulator.Options{NoDriver: true}, want: emulator.ErrOptions, hint: "requires the fake driver"},
		"Occupied": {content: content, opts: emulator.Options{DataDir: occupied}, want: emulator.ErrOptions, hint: "is not empty"},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "file")
			if err := os.WriteFile(file, tc.content, 0o600); err != nil {
				t.Fatal(err)
			}
			if tc.mode != 0 {
				if err := os.Chmod(file, tc.mode); err != nil {
					t.Fatal(err)
				}
			}
			tc.opts.Snapshot = file
			started := &phases{}
			tc.opts.Reporter = started
			_, err := emulator.Start(t.Context(), tc.opts)
			if !errors.Is(err, tc.want) || !errors.Is(err, emulator.ErrOptions) || !strings.Contains(fmt.Sprint(err), tc.hint) {
				t.Errorf("Start() = %v, want %v, and %q", err, tc.want, tc.hint)
			}
			if started.began {
				t.Error("a phase has begun")
			}
		})
	}
}

// phases notes whether any phase has begun.
type phases struct{ began bool }

func (p *phases) PhaseStarted(string)                   { p.began = true }
func (*phases) PhaseProgress(string, string)            {}
func (*phases) PhaseEnded(string, time.Duration, error) {}

// flip returns a copy with one bit changed.
func flip(content []byte, at int) []byte {
	changed := slices.Clone(content)
	changed[at] ^= 1
	return changed
}

// TestSnapshotUnsupported has no snapshot without the emulator's store.
func TestSnapshotUnsupported(t *testing.T) {
	emu, _ := startOwn(t, emulator.Options{ControlPlaneKind: emulator.ControlPlaneEmbedded, NoDriver: true})
	if _, err := emu.SaveSnapshot(t.Context(), filepath.Join(t.TempDir(), "file"), false); !errors.Is(err, emulator.ErrSnapshotUnsupported) {
		t.Errorf("SaveSnapshot() = %v, want ErrSnapshotUnsupported", err)
	}
}
