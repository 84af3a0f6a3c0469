package binaries

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"sigs.k8s.io/controller-runtime/tools/setup-envtest/versions"
)

// compile builds a small program for a platform. The test is skipped with -short.
func compile(t *testing.T, platform versions.Platform) string {
	t.Helper()
	if testing.Short() {
		t.Skip("it builds a program")
	}
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "main.go"), "package main\n\nfunc main() {}\n", 0o600)
	out := filepath.Join(dir, "program")
	cmd := exec.CommandContext(testContext(t), "go", "build", "-ldflags=-s -w", "-o", out, filepath.Join(dir, "main.go"))
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=", "GOOS="+platform.OS, "GOARCH="+platform.Arch)
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return out
}

func TestCheckProgram(t *testing.T) {
	linux := versions.Platform{OS: "linux", Arch: "amd64"}
	darwin := versions.Platform{OS: "darwin", Arch: "arm64"}
	linuxProgram, darwinProgram := compile(t, linux), compile(t, darwin)

	tests := map[string]struct {
		reason string
		path   string
		want   versions.Platform
		err    error
	}{
		"ELF":            {"a Linux program on Linux", linuxProgram, linux, nil},
		"MachO":          {"a macOS program on macOS", darwinProgram, darwin, nil},
		"ELFElsewhere":   {"another system", linuxProgram, darwin, ErrWrongPlatform},
		"MachOElsewhere": {"another system", darwinProgram, linux, ErrWrongPlatform},
		"OtherProcessor": {"another processor", linuxProgram, versions.Platform{OS: "linux", Arch: "arm64"}, ErrWrongPlatform},
		"Half":           {"a program that was not written to its end", cut(t, linuxProgram, 2), linux, ErrIncomplete},
		"HalfMachO":      {"a program that was not written to its end", cut(t, darwinProgram, 2), darwin, ErrIncomplete},
		"Headers":        {"not even the headers are whole", cut(t, linuxProgram, 1<<20), linux, ErrIncomplete},
		"Empty":          {"nothing was written", temporary(t, "", 0o755), linux, ErrIncomplete},
		"Text":           {"no kind of program", temporary(t, "404 page not found", 0o755), linux, ErrNotExecutable},
		"Script":         {"distributions wrap programs in scripts", temporary(t, "#!/bin/sh\n", 0o755), darwin, nil},
		"Mode":           {"the mode does not allow to run it", temporary(t, "#!/bin/sh\n", 0o644), linux, ErrNotExecutable},
		"Directory":      {"a directory is no program", t.TempDir(), linux, ErrNotExecutable},
		"Missing":        {"nothing is there", filepath.Join(t.TempDir(), "etcd"), linux, ErrNotFound},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			err := checkProgram(tc.path, tc.want)
			if !errors.Is(err, tc.err) {
				t.Errorf("%s: got %v, want %v", tc.reason, err, tc.err)
			}
			if failed, ok := errors.AsType[*ProgramError](err); ok && failed.Path != tc.path {
				t.Errorf("%s: the error is about %s, not %s", tc.reason, failed.Path, tc.path)
			}
		})
	}
}

func TestCheckProgramOfThisMachine(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := CheckProgram(self); err != nil {
		t.Error(err)
	}
}

func cut(t *testing.T, path string, n int) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return temporary(t, string(data[:max(len(data)/n, 40)]), 0o755)
}

func temporary(t *testing.T, content string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	writeFile(t, path, content, mode)
	return path
}
