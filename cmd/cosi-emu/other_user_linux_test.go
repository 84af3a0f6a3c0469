package main_test

import (
	"bufio"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// otherUser is the ID of a user who owns no file of a test.
const otherUser = 65534

// TestProgramsOtherUser: another user of the machine tries all files, UNIX sockets and TCP ports of
// an emulator.
func TestProgramsOtherUser(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can become another user")
	}
	h := newHomeWithPrograms(t)
	// The user's directories, unlike the emulator's, are open to all.
	for _, dir := range []string{lab, h.dir, filepath.Join(h.dir, "state"), filepath.Join(h.dir, "tmp")} {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	info := h.up("--record", filepath.Join(h.dir, "recordings"), "--data-dir", filepath.Join(h.dir, "data"),
		"--protocols", "S3,GCS", "--leader-elect")
	s := &story{cluster: connect(t, info.Kubeconfig), home: h, info: info}
	s.secret = s.quickstart()
	secrets := s.secrets()
	h.expectFilesClosed()
	for _, address := range h.listeners() {
		expectNothingTold(t, address, secrets)
	}
}

// secrets returns values that another user must not see.
func (s *story) secrets() []string {
	s.t.Helper()
	admin := s.home.fromJSON(s.home.must("env", "--admin", "-o", "json"))
	var values []string
	for _, key := range []string{v1alpha2.SecretKeyS3AccessKeyID, v1alpha2.SecretKeyS3SecretAccessKey} {
		values = append(values, s.secret[key], admin[key])
	}
	if slices.Contains(values, "") {
		s.t.Fatalf("a key of an account is empty: %d keys in the Secret, %d in env --admin", len(s.secret), len(admin))
	}
	return values
}

// expectFilesClosed tries to open each file and directory of the emulator, and to write to each
// socket.
func (h *home) expectFilesClosed() {
	h.t.Helper()
	tried, sockets := 0, 0
	for _, dir := range []string{"state", "tmp", "data", "recordings"} {
		err := filepath.WalkDir(filepath.Join(h.dir, dir), func(path string, entry fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) { // the emulator has just removed it
				return nil
			}
			if err != nil || path == filepath.Join(h.dir, dir) {
				return err
			}
			tried++
			if entry.Type()&fs.ModeSocket != 0 {
				sockets++
			}
			h.expectClosed(path, entry)
			return nil
		})
		if err != nil {
			h.t.Fatal(err)
		}
	}
	if tried < 10 || sockets < 3 {
		h.t.Errorf("tried %d files and %d sockets, want at least 10 and 3: etcd has two sockets, and the emulator one", tried, sockets)
	}
}

func (h *home) expectClosed(path string, entry fs.DirEntry) {
	h.t.Helper()
	flag := os.O_RDONLY
	if entry.Type()&fs.ModeSocket != 0 {
		flag = os.O_WRONLY // connecting requires it
	}
	asOtherUser(func() {
		file, err := os.OpenFile(path, flag, 0)
		if err == nil {
			_ = file.Close() // opening it is the failure
		}
		if !errors.Is(err, fs.ErrPermission) && !errors.Is(err, fs.ErrNotExist) {
			h.t.Errorf("another user opens %s: %v, want permission denied", path, err)
		}
	})
}

// asOtherUser runs f with another user's file permissions. The thread is not used again.
func asOtherUser(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		_, _, _ = syscall.RawSyscall(syscall.SYS_SETFSGID, otherUser, 0, 0) // returns the previous ID, and no error
		_, _, _ = syscall.RawSyscall(syscall.SYS_SETFSUID, otherUser, 0, 0)
		f()
	}()
	<-done
}

// listeners returns the TCP addresses at which the processes of the home listen.
func (h *home) listeners() []string {
	h.t.Helper()
	inodes := map[string]bool{}
	for _, process := range harness.Processes(h.t, h.dir) {
		pid := strings.Fields(process)[0]
		descriptors, err := filepath.Glob("/proc/" + pid + "/fd/*")
		if err != nil {
			h.t.Fatal(err)
		}
		for _, descriptor := range descriptors {
			target, err := os.Readlink(descriptor)
			if inode, ok := strings.CutPrefix(target, "socket:["); err == nil && ok {
				inodes[strings.TrimSuffix(inode, "]")] = true
			}
		}
	}
	var addresses []string
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		addresses = append(addresses, h.listening(table, inodes)...)
	}
	if len(addresses) < 3 {
		h.t.Errorf("listeners: %v, want at least those of the API server, of S3, and of etcd's health", addresses)
	}
	return addresses
}

// listening returns the addresses of a table of sockets that are in inodes.
func (h *home) listening(table string, inodes map[string]bool) (addresses []string) {
	h.t.Helper()
	file, err := os.Open(table)
	if err != nil {
		h.t.Fatal(err)
	}
	defer file.Close() //nolint:errcheck // it was only read
	const local, state, inode, listen = 1, 3, 9, "0A"
	for lines := bufio.NewScanner(file); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) <= inode || fields[state] != listen || !inodes[fields[inode]] {
			continue
		}
		host, port, _ := strings.Cut(fields[local], ":")
		if host != "0100007F" {
			h.t.Errorf("a process listens on %s, want only 127.0.0.1", fields[local])
		}
		number, err := strconv.ParseUint(port, 16, 16)
		if err != nil {
			h.t.Fatal(err)
		}
		addresses = append(addresses, fmt.Sprintf("127.0.0.1:%d", number))
	}
	return addresses
}

// expectNothingTold sends requests without credentials. They may reveal that a server works, and
// its version.
func expectNothingTold(t *testing.T, address string, secrets []string) {
	t.Helper()
	known := []string{"/healthz", "/livez", "/readyz", "/health", "/version", "/metrics"}
	requests := []struct{ method, path, body string }{
		{http.MethodGet, "/", ""},
		{http.MethodGet, "/api/v1/secrets", ""},
		{http.MethodGet, "/apis/objectstorage.k8s.io/v1alpha2/bucketaccesses", ""},
		{http.MethodGet, "/debug/pprof/", ""},
		{http.MethodGet, "/debug/pprof/heap", ""},
		{http.MethodGet, "/debug/flags/v", ""},
		{http.MethodGet, "/configz", ""},
		{http.MethodGet, "/faults", ""},
		{http.MethodGet, "/members", ""},
		{http.MethodGet, "/storage/v1/b", ""},
		{http.MethodPost, "/v3/kv/range", `{"key":"AA==","range_end":"AA=="}`},
		{http.MethodPost, "/v3/maintenance/snapshot", `{}`},
	}
	for _, path := range known {
		requests = append(requests, struct{ method, path, body string }{http.MethodGet, path, ""})
	}
	for _, r := range requests {
		status, body := ask(t, r.method, address, r.path, r.body)
		if status < 300 && !slices.Contains(known, r.path) {
			t.Errorf("%s %s%s without credentials: status %d, want an error", r.method, address, r.path, status)
		}
		for _, secret := range secrets {
			if strings.Contains(body, secret) {
				t.Errorf("%s %s%s without credentials tells a secret", r.method, address, r.path)
			}
		}
	}
}

// ask sends a request over TLS, or without it if the server has none. The status is 600 without an
// answer.
func ask(t *testing.T, method, address, path, body string) (status int, answer string) {
	t.Helper()
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}} //nolint:gosec // what is trusted is not the question
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, Timeout: harness.Timeout}
	response, err := send(t, client, method, "https://"+address+path, body)
	if err != nil {
		response, err = send(t, client, method, "http://"+address+path, body)
	}
	if err != nil {
		return 600, ""
	}
	defer response.Body.Close() //nolint:errcheck // it was only read
	content, err := io.ReadAll(response.Body)
	if err != nil {
		t.Errorf("%s %s%s: %v", method, address, path, err)
	}
	return response.StatusCode, string(content)
}

func send(t *testing.T, client *http.Client, method, url, body string) (*http.Response, error) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return client.Do(request)
}
