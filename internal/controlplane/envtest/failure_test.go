//go:build unix

package envtest_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/controlplane"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/binaries"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/binaries/binariestest"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/envtest"
	"github.com/cosi-emu/cosi-emu/internal/tcpport"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

func TestProgramsStartFails(t *testing.T) {
	port := takenPort(t)

	tests := map[string]struct {
		reason string
		change func(t *testing.T, o *controlplane.Options)
		check  func(err error) bool
	}{
		"PortInUse": {
			reason: "a port in use is found before anything starts",
			change: func(_ *testing.T, o *controlplane.Options) { o.APIServerPort = port },
			check: func(err error) bool {
				failed, ok := errors.AsType[*tcpport.Error](err)
				return ok && strings.HasSuffix(failed.Address, fmt.Sprint(":", port)) && errors.Is(err, syscall.EADDRINUSE)
			},
		},
		"WrongProgram": {
			reason: "a program for another machine is found before anything starts",
			change: func(t *testing.T, o *controlplane.Options) {
				t.Helper()
				o.Binaries.Etcd = foreignProgram(t)
			},
			check: func(err error) bool { return errors.Is(err, binaries.ErrWrongPlatform) },
		},
		"EtcdExits": {
			reason: "a component that ends is noticed at once, and its last words are passed on",
			change: func(t *testing.T, o *controlplane.Options) {
				t.Helper()
				o.Binaries.Etcd = script(t, `[ "$1" = --help ] || { echo "no such disk" >&2; exit 3; }`)
			},
			check: func(err error) bool { return failedWith(err, controlplane.Etcd, "no such disk") },
		},
		"APIServerExits": {
			reason: "etcd is stopped again when the API server does not start",
			change: func(t *testing.T, o *controlplane.Options) {
				t.Helper()
				o.Binaries.APIServer = script(t, `[ "$1" = --help ] || { echo "bad flag"; exit 1; }`)
			},
			check: func(err error) bool { return failedWith(err, controlplane.APIServer, "bad flag") },
		},
		"EtcdHangs": {
			reason: "a component that never becomes ready is killed",
			change: func(t *testing.T, o *controlplane.Options) {
				t.Helper()
				o.StartTimeout = time.Second
				o.Binaries.Etcd = script(t, `[ "$1" = --help ] || { echo "thinking"; exec sleep 1000; }`)
			},
			check: func(err error) bool { return failedWith(err, controlplane.Etcd, "thinking") },
		},
		"HelpHangs": {
			reason: "the question that envtest asks before the start is bounded as well",
			change: func(t *testing.T, o *controlplane.Options) {
				t.Helper()
				o.StartTimeout = time.Second
				o.Binaries.Etcd = script(t, "exec sleep 1000")
			},
			check: func(err error) bool { return failedWith(err, controlplane.Etcd, "") },
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "cp")
			opts := controlplane.Options{Binaries: binariestest.Find(t), Dir: dir}
			tc.change(t, &opts)
			_, err := envtest.Start(testContext(t), opts)
			if !tc.check(err) {
				t.Errorf("%s: got %#v", tc.reason, err)
			}
			if left := harness.Processes(t, dir); len(left) > 0 {
				t.Errorf("processes after the failed start: %v", left)
			}
			if _, err := os.Stat(dir); !os.IsNotExist(err) {
				t.Errorf("the directory is there after the failed start: %v", err)
			}
		})
	}
}

func TestProgramsStartIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(testContext(t))
	dir := filepath.Join(t.TempDir(), "cp")
	_, err := envtest.Start(ctx, controlplane.Options{Binaries: binariestest.Find(t), Dir: dir, Phase: func(p controlplane.Phase) {
		if p.Name == controlplane.APIServer {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if left := harness.Processes(t, dir); len(left) > 0 {
		t.Errorf("processes after the cancelled start: %v", left)
	}
}

func TestProgramsDirectoryIsRejected(t *testing.T) {
	t.Run("NotEmpty", func(t *testing.T) {
		dir := t.TempDir()
		file := filepath.Join(dir, "thesis.txt")
		if err := os.WriteFile(file, []byte("chapter 1"), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := envtest.Start(testContext(t), controlplane.Options{Binaries: binariestest.Find(t), Dir: dir})
		if !errors.Is(err, controlplane.ErrDirNotEmpty) {
			t.Errorf("got %v", err)
		}
		if _, err := os.Stat(file); err != nil {
			t.Errorf("a file that is not the control plane's: %v", err)
		}
	})
	t.Run("InUse", func(t *testing.T) {
		dir := t.TempDir()
		c := start(t, controlplane.Options{Dir: dir, KeepData: true})
		_, err := envtest.Start(testContext(t), controlplane.Options{Binaries: binariestest.Find(t), Dir: dir, KeepData: true})
		if !errors.Is(err, controlplane.ErrDirInUse) {
			t.Errorf("got %v", err)
		}
		if _, err := client(t, c).Discovery().ServerVersion(); err != nil {
			t.Errorf("the control plane that was there first: %v", err)
		}
	})
}

func TestProgramsFailedComponentIsReported(t *testing.T) {
	for _, name := range []string{controlplane.Etcd, controlplane.APIServer, controlplane.ControllerManager} {
		t.Run(name, func(t *testing.T) {
			c := start(t, controlplane.Options{})
			if err := c.WaitReady(testContext(t)); err != nil {
				t.Fatal(err)
			}
			if err := syscall.Kill(pid(t, c, name), syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			select {
			case err := <-c.Failed():
				failed, ok := errors.AsType[*controlplane.ComponentError](err)
				if !ok || failed.Component != name || len(failed.LogTail) == 0 {
					t.Errorf("got %#v", err)
				}
			case <-testContext(t).Done():
				t.Errorf("the end of %s is not reported", name)
			}
		})
	}
}

func failedWith(err error, component, output string) bool {
	failed, ok := errors.AsType[*controlplane.StartError](err)
	return ok && failed.Component == component && strings.Contains(strings.Join(failed.LogTail, "\n"), output)
}

func takenPort(t *testing.T) int {
	t.Helper()
	listener, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	address, err := netip.ParseAddrPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return int(address.Port())
}

func script(t *testing.T, body string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// foreignProgram is the first part of an ELF file for an IBM mainframe.
func foreignProgram(t *testing.T) string {
	t.Helper()
	header := make([]byte, 64)
	copy(header, "\x7fELF\x02\x02\x01") // 64 bits, big-endian
	header[17] = 2
	header[19] = 22 // EM_S390
	header[23] = 1  // version
	header[53] = 64 // size of this header
	path := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(path, header, 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}
