package main_test

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/internal/instance"
)

// invalidInput is an input that must fail.
type invalidInput struct {
	reason string
	// args returns the command line, and prepares the cause of its failure.
	args func(h *home) []string
	env  string
	code int
	says []string
}

// expectRejected runs each invalidInput in a home of its own: the program must report the problem
// and the solution, and leave nothing behind. run fails if it does not exit. Usage errors must be
// found before anything starts.
func expectRejected(t *testing.T, invalidInputs map[string]invalidInput) {
	t.Helper()
	for name, tc := range invalidInputs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			args := tc.args(h)
			if tc.env != "" {
				h.env = append(h.env, tc.env)
			}
			isUsage := tc.code == 2
			if isUsage {
				h.setTraps()
			}
			r := h.run(args...)
			if r.code != tc.code || r.out != "" {
				t.Errorf("%s: exit code %d, want %d; output %q", tc.reason, r.code, tc.code, r.out)
			}
			for _, want := range append(tc.says, "Error: ") {
				if !strings.Contains(r.err, want) {
					t.Errorf("%s: it does not say %q, but:\n%s", tc.reason, want, r.err)
				}
			}
			h.expectNothingLeft()
			if isUsage && len(h.started()) > 0 {
				t.Errorf("%s: programs were started: %v", tc.reason, h.started())
			}
		})
	}
}

func command(args ...string) func(*home) []string {
	return func(*home) []string { return args }
}

// TestTraps shows that expectNothingStarted detects started programs.
func TestTraps(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.setTraps()
	if r := h.run("up"); r.code != 1 || len(h.started()) == 0 {
		t.Errorf("exit code %d, started: %v\n%s", r.code, h.started(), r.err)
	}
}

func TestUsage(t *testing.T) {
	t.Parallel()
	expectRejected(t, map[string]invalidInput{
		"Command": {
			reason: "a command that does not exist, with the one that is meant",
			args:   command("stats"), code: 2, says: []string{`"stats"`, "do you mean status?", "--help"},
		},
		"Flag": {
			reason: "a flag that does not exist",
			args:   command("up", "--prot", "80"), code: 2, says: []string{"--prot", "cosi-emu up --help"},
		},
		"TracingEndpoint": {
			reason: "a URL of OTLP over HTTP, which another port serves",
			args:   command("up", "--tracing-endpoint", "http://collector:4318/v1/traces"), code: 2, says: []string{"HOST:PORT"},
		},
		"TracingEndpointOfController": {
			reason: "it is rejected before the controller connects",
			args:   command("controller", "--tracing-endpoint", "collector"), code: 2, says: []string{"--tracing-endpoint", "HOST:PORT"},
		},
		"MisspeltFlag": {
			reason: "the flag that is meant",
			args:   command("up", "--namee", "mine"), code: 2, says: []string{"--namee", "did you mean --name?"},
		},
		"BegunFlag": {
			reason: "the flags that begin so",
			args:   command("up", "--driver-c", "mine"), code: 2, says: []string{"did you mean --driver-cmd?"},
		},
		"Parallel": {
			reason: "nothing would run",
			args:   command("run", "--suite", "--parallel", "0"), code: 2, says: []string{"--parallel 0 must be at least 1"},
		},
		"ParallelExploration": {
			reason: "nothing would run",
			args:   command("explore", "one.yaml", "--parallel", "0"), code: 2, says: []string{"--parallel 0 must be at least 1"},
		},
		"ReplayScenario": {
			reason: "a scenario is not a recording, and another command runs it",
			args: func(h *home) []string {
				h.write("mine.yaml", "scenario: {name: mine}\n")
				return []string{"replay", "mine.yaml"}
			},
			code: 2, says: []string{"mine.yaml is a scenario", "cosi-emu run mine.yaml"},
		},
		"Argument": {
			reason: "arguments are not ignored",
			args:   command("up", "again"), code: 2, says: []string{"takes no arguments", `"again"`, "cosi-emu up --help"},
		},
		"Variable": {
			reason: "the environment is checked like flags",
			args:   command("up"), env: "COSI_EMU_S3_PORT=http", code: 2, says: []string{"COSI_EMU_S3_PORT", `"http"`},
		},
		"Port": {
			reason: "a port that cannot be",
			args:   command("up", "--s3-port", "99999"), code: 2, says: []string{"S3 port 99999", "65535"},
		},
		"Protocol": {
			reason: "a protocol that there is not",
			args:   command("up", "--protocols", "S3,FTP"), code: 2, says: []string{`"FTP"`, "S3, GCS, Azure"},
		},
		"ExampleProtocol": {
			reason: "a protocol that there is not",
			args:   command("example", "--protocol", "FTP"), code: 2, says: []string{"--protocol", `"FTP"`, "S3, GCS, Azure"},
		},
		"ExampleClasses": {
			reason: "classes are for all protocols",
			args:   command("example", "--protocol", "GCS", "--classes"), code: 2, says: []string{"--classes", "--protocol"},
		},
		"ExampleV1alpha1": {
			reason: "v1alpha1 has no credentials for GCS",
			args:   command("example", "--protocol", "GCS", "--api", "v1alpha1"), code: 2, says: []string{"GCS", "v1alpha1", "Azure"},
		},
		"GCSPort": {
			reason: "a port for a service that is not started",
			args:   command("up", "--gcs-port", "9090"), code: 2, says: []string{"GCS port", "protocols"},
		},
		"AzurePort": {
			reason: "a port for a service that is not started",
			args:   command("up", "--azure-port", "10000"), code: 2, says: []string{"Azure port", "protocols"},
		},
		"DriverProtocol": {
			reason: "names are written as COSI writes them",
			args:   command("driver", "--protocols", "s3"), code: 2, says: []string{`"s3"`, "S3, GCS, Azure"},
		},
		"DialectOfNone": {
			reason: "no driver is started that could speak it",
			args:   command("up", "--no-fake-driver", "--dialect", "one-mode"), code: 2, says: []string{"dialect", "requires a driver"},
		},
		"ControllerVersion": {
			reason: "there is no such version",
			args:   command("controller", "--api", "v1beta1"), code: 2, says: []string{`"v1beta1"`, "v1alpha1", "v1alpha2"},
		},
		"DriverDialect": {
			reason: "there is no such dialect",
			args:   command("driver", "--dialect", "v1beta1"), code: 2, says: []string{`"v1beta1"`, "v1alpha1", "one-mode"},
		},
		"Name": {
			reason: "a name that is no file name, nor a label",
			args:   command("up", "--name", "My_Emulator"), code: 2, says: []string{`"My_Emulator"`, "lower-case"},
		},
		"NameDetached": {
			reason: "it is rejected before a process starts",
			args:   command("up", "-d", "--name", "../x"), code: 2, says: []string{`"../x"`, "lower-case"},
		},
		"Access": {
			reason: "a BucketAccess is in a namespace",
			args:   command("env", "--access", "photos-rw"), code: 2, says: []string{"photos-rw", "namespace/name"},
		},
		"AccessAndAdmin": {
			reason: "a client has one key",
			args:   command("env", "--access", "demo/photos-rw", "--admin"), code: 2, says: []string{"--access and --admin exclude"},
		},
		"MaxBody": {
			reason: "a limit that nothing fits into",
			args:   command("up", "--s3-max-body", "0"), code: 2, says: []string{"--s3-max-body", "10Gi"},
		},
		"MaxBodyDriver": {
			reason: "half a byte",
			args:   command("driver", "--s3-max-body", "500m"), code: 2, says: []string{"--s3-max-body", "10Gi"},
		},
		"CORSOrigin": {
			reason: "an origin has a scheme, and an example shows it",
			args:   command("up", "--s3-cors-origin", "localhost:3000"), code: 2,
			says: []string{"--s3-cors-origin", `"localhost:3000"`, "such as http://localhost:3000"},
		},
		"CORSOriginDriver": {
			reason: "a URL is no origin",
			args:   command("driver", "--s3-cors-origin", "http://a", "--s3-cors-origin", "http://b/index.html"), code: 2,
			says: []string{"--s3-cors-origin", `"http://b/index.html"`, "such as http://localhost:3000"},
		},
		"MaxAccounts": {
			reason: "less than none",
			args:   command("up", "--max-accounts", "-1"), code: 2, says: []string{"-1 accounts"},
		},
		"TLSOfOther": {
			reason: "the store that is to be served is left out",
			args:   command("up", "--tls", "--no-fake-driver"), code: 2, says: []string{"TLS", "left out"},
		},
		"Output": {
			reason: "a format that does not exist, with those that do",
			args:   command("status", "-o", "xml"), code: 2, says: []string{`"xml"`, "text or json"},
		},
		"Driver": {
			reason: "an endpoint that is not of a UNIX socket",
			args:   command("up", "--driver", "localhost:1234"), code: 2, says: []string{`"localhost:1234"`, "unix:///"},
		},
		"DriverAndNone": {
			reason: "contradicting flags",
			args:   command("up", "--driver", "unix:///tmp/x.sock", "--no-fake-driver"), code: 2, says: []string{"exclude"},
		},
		"ExecNothing": {
			reason: "nothing to run",
			args:   command("exec"), code: 2, says: []string{"after --", "cosi-emu exec --help"},
		},
		"ExecUnknown": {
			reason: "a command that is not installed is found out before anything starts",
			args:   command("exec", "--", "no-such-command"), code: 2, says: []string{"no-such-command"},
		},
		"ExecNoManifest": {
			reason: "so is a manifest that is not there",
			args:   command("exec", "--apply", "no-such-file.yaml", "--", "true"), code: 2, says: []string{"--apply", "no-such-file.yaml"},
		},
		"NotRunning": {
			reason: "there is no emulator to ask",
			args:   command("status"), code: 1, says: []string{"not running", "cosi-emu up"},
		},
		"NotRunningName": {
			reason: "the command to start it has its name",
			args:   command("status", "--name", "mine"), code: 1, says: []string{"'cosi-emu up --name mine'"},
		},
		"ReadOnlyHome": {
			reason: "the variable that chooses another directory",
			args:   command("up"), env: "XDG_STATE_HOME=/proc/nowhere", code: 1, says: []string{"/proc/nowhere", "set XDG_STATE_HOME"},
		},
	})
}

func TestPlacesInUse(t *testing.T) {
	t.Parallel()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	address, ok := listener.Addr().(*net.TCPAddr)
	if !ok {
		t.Fatalf("listening on %T", listener.Addr())
	}
	port := strconv.Itoa(address.Port)

	// The parallel cases continue after this function has returned.
	expectRejected(t, map[string]invalidInput{
		"S3Port": {
			reason: "another program listens there",
			args:   command("up", "--s3-port", port), code: 1, says: []string{"S3 store", port, "in use", "another port"},
		},
		"APIServerPort": {
			reason: "another program listens there",
			args:   command("up", "--api-server-port", port), code: 1, says: []string{"kube-apiserver", port, "in use", "another port"},
		},
		"Detached": {
			reason: "what the emulator in the background says is passed on",
			args:   command("up", "-d", "--s3-port", port), code: 1, says: []string{"S3 store", port, "in use", "another port"},
		},
		"DataDir": {
			reason: "two emulators would corrupt each other's data",
			args: func(h *home) []string {
				dir, err := instance.LockDataDir(filepath.Join(h.dir, "data"))
				if err != nil {
					h.t.Fatal(err)
				}
				h.t.Cleanup(func() { _ = dir.Release() })
				return []string{"up", "--data-dir", dir.Path()}
			},
			code: 1, says: []string{"data directory", "in use", "another"},
		},
		"DataDirFile": {
			reason: "a file is no directory",
			args:   func(h *home) []string { return []string{"up", "--data-dir", h.write("data", "")} },
			code:   1, says: []string{"data directory", "not a directory"},
		},
		"SocketPath": {
			reason: "the operating system bounds the paths of sockets",
			args:   command("up", "--socket", "/tmp/"+strings.Repeat("x", 120)),
			code:   1, says: []string{"driver", "bytes", "shorter"},
		},
		"SocketInUse": {
			reason: "another driver listens there",
			args: func(h *home) []string {
				path := filepath.Join(h.dir, "d.sock")
				listener, err := (&net.ListenConfig{}).Listen(h.t.Context(), "unix", path)
				if err != nil {
					h.t.Fatal(err)
				}
				h.t.Cleanup(func() { _ = listener.Close() })
				return []string{"up", "--socket", path}
			},
			code: 1, says: []string{"d.sock", "in use", "another path"},
		},
	})
}

func TestBadPrograms(t *testing.T) {
	t.Parallel()
	replaced := func(program, content string) func(*home) []string {
		return func(h *home) []string {
			dir := h.programDir()
			path := filepath.Join(dir, program)
			if err := os.Remove(path); err != nil {
				h.t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(content), 0o700); err != nil { //nolint:gosec // a program
				h.t.Fatal(err)
			}
			return []string{"up", "--control-plane", "envtest", "--control-plane-dir", dir}
		}
	}
	expectRejected(t, map[string]invalidInput{
		"WrongPlatform": {
			reason: "a program for another processor",
			args:   replaced("etcd", foreignProgram()), code: 1, says: []string{"etcd", "another platform", "found linux/s390"},
		},
		"HalfWritten": {
			reason: "a program that was not copied to its end",
			args: func(h *home) []string {
				whole, err := os.ReadFile(h.program())
				if err != nil {
					h.t.Fatal(err)
				}
				return replaced("kube-apiserver", string(whole[:1<<20]))(h)
			},
			code: 1, says: []string{"kube-apiserver", "incomplete"},
		},
		"NoPrograms": {
			reason: "a directory with other files",
			args: func(h *home) []string {
				return []string{"up", "--control-plane", "envtest", "--control-plane-dir", h.dir}
			},
			code: 1, says: []string{"etcd", "does not exist", "downloaded or built"},
		},
		"EtcdExits": {
			reason: "a program that ends at once, with its last words and the phase",
			args:   replaced("etcd", "#!/bin/sh\n[ \"$1\" = --help ] || { echo 'no such disk' >&2; exit 3; }\n"),
			code:   1, says: []string{"etcd: failed after", "Error: etcd: ", "The last lines of its log:\n", "    no such disk\n"},
		},
		"Timeout": {
			reason: "a program that never becomes ready",
			args: func(h *home) []string {
				args := replaced("etcd", "#!/bin/sh\n[ \"$1\" = --help ] || { echo 'thinking'; exec sleep 1000; }\n")(h)
				return append(args, "--timeout", "2s")
			},
			code: 1, says: []string{"etcd", "not ready after 2s, the limit of --timeout", "    thinking\n"},
		},
	})
}

// foreignProgram is the first part of an ELF file for an IBM mainframe.
func foreignProgram() string {
	header := make([]byte, 64)
	copy(header, "\x7fELF\x02\x02\x01") // 64 bits, big-endian
	header[17] = 2                      // executable
	header[19] = 22                     // EM_S390
	header[23] = 1                      // version
	header[53] = 64                     // size of this header
	return string(header)
}
