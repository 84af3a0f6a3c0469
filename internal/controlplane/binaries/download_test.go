package binaries

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/tools/setup-envtest/versions"
)

// publisher is a server of envtest's releases and of Kubernetes' programs.
type publisher struct {
	*httptest.Server
	files map[string][]byte
	// serve, if set for a path, answers instead of the file.
	serve map[string]http.HandlerFunc
}

const (
	archivePath           = "/envtest.tar.gz"
	controllerManagerPath = "/v1.37.0/bin/linux/amd64/kube-controller-manager"
)

// indexFormat is envtest's list of releases, with one of them.
const indexFormat = `
releases:
  %[1]s:
    envtest-%[1]s-%[2]s-%[3]s.tar.gz:
      hash: %[4]s
      selfLink: %[5]s
`

func publish(t *testing.T, version string, platform versions.Platform) *publisher {
	t.Helper()
	p := &publisher{files: map[string][]byte{}, serve: map[string]http.HandlerFunc{}}
	p.Server = httptest.NewServer(p)
	t.Cleanup(func() {
		p.CloseClientConnections()
		http.DefaultClient.CloseIdleConnections()
		p.Close()
	})
	archive := archiveOf(t, Etcd, APIServer, "kubectl")
	p.files[archivePath] = archive
	p.files["/index.yaml"] = fmt.Appendf(nil, indexFormat, version, platform.OS, platform.Arch, sumOf(archive), p.URL+archivePath)
	program := []byte(scriptOf(ControllerManager))
	path := fmt.Sprintf("/%s/bin/linux/%s/%s", version, platform.Arch, ControllerManager)
	p.files[path] = program
	p.files[path+".sha512"] = []byte(sumOf(program))
	return p
}

func (p *publisher) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if serve := p.serve[r.URL.Path]; serve != nil {
		serve(w, r)
		return
	}
	data, ok := p.files[r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	_, _ = w.Write(data)
}

var linux = versions.Platform{OS: "linux", Arch: "amd64"}

func downloadOptions(t *testing.T, p *publisher, platform versions.Platform) (Options, *recorder) {
	t.Helper()
	opts, progress := fakeOptions(t)
	opts.IndexURL, opts.ReleaseURL, opts.platform = p.URL+"/index.yaml", p.URL, platform
	return opts, progress
}

func TestFindDownloads(t *testing.T) {
	darwin := versions.Platform{OS: "darwin", Arch: "arm64"}
	tests := map[string]struct {
		reason    string
		published string
		platform  versions.Platform
		change    func(o *Options, p *publisher)
		source    string
		version   string
		built     string // programs that had to be built
		missing   bool
	}{
		"Exact": {
			reason:    "the version that is wanted",
			published: KubernetesVersion, platform: linux, version: KubernetesVersion, source: "downloaded",
		},
		"OtherPatch": {
			reason:    "envtest does not publish each patch",
			published: "v1.37.1", platform: linux, version: "v1.37.1", source: "downloaded",
		},
		"OtherMinor": {
			reason:    "another minor version is another product",
			published: "v1.36.0", platform: linux, version: KubernetesVersion, source: "built",
			built: "kube-apiserver kube-controller-manager etcd",
		},
		"OtherPlatform": {
			reason:    "nothing is published for this machine",
			published: KubernetesVersion, platform: linux, version: KubernetesVersion, source: "built",
			change: func(_ *Options, p *publisher) {
				p.files["/index.yaml"] = bytes.ReplaceAll(p.files["/index.yaml"], []byte("amd64"), []byte("s390x"))
			},
			built: "kube-apiserver kube-controller-manager etcd",
		},
		"Darwin": {
			reason:    "Kubernetes publishes no controller manager for macOS",
			published: KubernetesVersion, platform: darwin, version: KubernetesVersion, source: "downloaded",
			built: "kube-controller-manager",
		},
		"DarwinWithoutGo": {
			reason:    "the rest is still good for much",
			published: KubernetesVersion, platform: darwin, version: KubernetesVersion, source: "downloaded",
			change:  func(o *Options, _ *publisher) { o.GoCommand = "go-is-not-installed" },
			missing: true,
		},
		"ControllerManagerAltered": {
			reason:    "what does not have the published checksum is not used",
			published: KubernetesVersion, platform: linux, version: KubernetesVersion, source: "downloaded",
			change: func(_ *Options, p *publisher) { p.files[controllerManagerPath] = []byte("#!/bin/sh\nmine bitcoin\n") },
			built:  "kube-controller-manager",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			p := publish(t, tc.published, tc.platform)
			opts, progress := downloadOptions(t, p, tc.platform)
			if tc.change != nil {
				tc.change(&opts, p)
			}
			set, err := Find(testContext(t), opts)
			if err != nil {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			if set.Version != tc.version || !strings.Contains(set.Source, tc.source) || (set.Missing != "") != tc.missing {
				t.Errorf("%s: got %+v", tc.reason, set)
			}
			if got := built(progress); got != tc.built {
				t.Errorf("%s: built %q, want %q", tc.reason, got, tc.built)
			}
			if tc.source == "downloaded" {
				if data, err := os.ReadFile(set.Etcd); err != nil || string(data) != scriptOf(Etcd) {
					t.Errorf("%s: etcd is %q, %v", tc.reason, data, err)
				}
			}
		})
	}
}

// TestDownloadFails: after any failure of a server, the programs are built, within limited time.
func TestDownloadFails(t *testing.T) {
	hang := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	tests := map[string]struct {
		reason string
		change func(p *publisher)
		note   string
	}{
		"IndexHangs":    {"a server that does not answer", func(p *publisher) { p.serve["/index.yaml"] = hang }, "no answer within"},
		"NoIndex":       {"the list moved", func(p *publisher) { delete(p.files, "/index.yaml") }, "404"},
		"NotAnIndex":    {"a hotel's login page", func(p *publisher) { p.files["/index.yaml"] = []byte("<html>\tlog in") }, "index"},
		"NoArchive":     {"the archive was removed", func(p *publisher) { delete(p.files, archivePath) }, "404"},
		"ArchiveHangs":  {"the archive's server does not answer", func(p *publisher) { p.serve[archivePath] = hang }, errStalled.Error()},
		"WrongChecksum": {"the archive was altered", func(p *publisher) { p.files[archivePath][20] ^= 1 }, "checksum mismatch"},
		"Stalls": {
			"the archive begins and does not go on",
			func(p *publisher) {
				p.serve[archivePath] = func(w http.ResponseWriter, r *http.Request) {
					_, _ = w.Write(p.files[archivePath][:10])
					_ = http.NewResponseController(w).Flush()
					<-r.Context().Done()
				}
			},
			errStalled.Error(),
		},
		"Truncated": {
			"the connection breaks",
			func(p *publisher) {
				p.serve[archivePath] = func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Content-Length", fmt.Sprint(len(p.files[archivePath])))
					_, _ = w.Write(p.files[archivePath][:10])
				}
			},
			"EOF",
		},
		"LacksProgram": {
			"the archive is not what it should be",
			func(p *publisher) {
				old := sumOf(p.files[archivePath])
				p.files[archivePath] = archiveOf(t, Etcd)
				p.files["/index.yaml"] = bytes.ReplaceAll(p.files["/index.yaml"], []byte(old), []byte(sumOf(p.files[archivePath])))
			},
			"has no [kube-apiserver]",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			p := publish(t, KubernetesVersion, linux)
			tc.change(p)
			opts, progress := downloadOptions(t, p, linux)
			set, err := Find(testContext(t), opts)
			if err != nil || !strings.Contains(set.Source, "built") {
				t.Errorf("%s: got %+v, %v", tc.reason, set, err)
			}
			if note := progress.updates[0]; !containsNote(progress, tc.note) {
				t.Errorf("%s: no note contains %q; the first is %+v", tc.reason, tc.note, note)
			}
		})
	}
}

func TestSetIsCompletedOnRequest(t *testing.T) {
	darwin := versions.Platform{OS: "darwin", Arch: "arm64"}
	p := publish(t, KubernetesVersion, darwin)
	opts, _ := downloadOptions(t, p, darwin)
	opts.GoCommand = "go-is-not-installed"
	first, err := Find(testContext(t), opts)
	if err != nil || first.Missing == "" {
		t.Fatalf("got %+v, %v", first, err)
	}
	opts.GoCommand = "go"
	if again, err := Find(testContext(t), opts); err != nil || again.Missing != first.Missing {
		t.Errorf("without a request: got %+v, %v", again, err)
	}
	opts.Complete = true
	if complete, err := Find(testContext(t), opts); err != nil || complete.ControllerManager == "" {
		t.Errorf("on request: got %+v, %v", complete, err)
	}
}

func containsNote(r *recorder, text string) bool {
	for _, u := range r.updates {
		if u.Phase == Note && strings.Contains(u.Message, text) {
			return true
		}
	}
	return false
}

func built(r *recorder) string {
	var programs []string
	for _, phase := range r.phases() {
		if program, ok := strings.CutPrefix(phase, string(Building)+" "); ok {
			programs = append(programs, program)
		}
	}
	return strings.Join(programs, " ")
}

func archiveOf(t *testing.T, names ...string) []byte {
	t.Helper()
	var buffer bytes.Buffer
	zipped := gzip.NewWriter(&buffer)
	files := tar.NewWriter(zipped)
	for _, name := range names {
		content := scriptOf(name)
		header := &tar.Header{Typeflag: tar.TypeReg, Name: "controller-tools/envtest/" + name, Mode: 0o755, Size: int64(len(content))}
		if err := files.WriteHeader(header); err != nil {
			t.Fatal(err)
		}
		if _, err := files.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(files.Close(), zipped.Close()); err != nil {
		t.Fatal(err)
	}
	return buffer.Bytes()
}

func sumOf(data []byte) string {
	sum := sha512.Sum512(data)
	return hex.EncodeToString(sum[:])
}
