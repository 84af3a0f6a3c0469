package realcluster

import (
	"archive/tar"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// releasedImage is the name in the archive of the release v0.0.0-cluster.
const releasedImage = "ghcr.io/cosi-emu/cosi-emu:v0.0.0-cluster"

// ReleaseImage is the image in the manifests.
const ReleaseImage = "docker.io/library/cosi-emu:dev"

// NextImage is the image of the next release: the same program.
const NextImage = "docker.io/library/cosi-emu:next"

// AppImage is the image of an application (package app).
const AppImage = "localhost/app:test"

// OldDriverImage is the image of the driver of v1alpha1 in deploy/bridge.
const OldDriverImage = "example.com/my-v1alpha1-driver:v1"

// importImages imports all images on each node: the release's, and images of one program.
func (c *Cluster) importImages(tb testing.TB) {
	tb.Helper()
	releases, err := filepath.Glob(c.programs.built("release") + "/*_image.tar")
	if err != nil || len(releases) != 1 {
		tb.Fatalf("archives of the release's image: %v, %v; want one, which `make cluster-programs` makes", releases, err)
	}
	archives := []string{
		releases[0], c.archive(tb, pauseImage, "app", "pause"), c.archive(tb, AppImage, "app"),
		c.archive(tb, OldDriverImage, "olddriver", "--state=/var/lib/cosi/state"),
	}
	for _, node := range c.Nodes {
		for _, archive := range archives {
			node.importImage(tb, archive)
		}
		for _, image := range []string{ReleaseImage, NextImage} {
			node.tagImage(tb, releasedImage, image)
		}
	}
}

// archive writes an image with one program and its arguments, and returns the file.
func (c *Cluster) archive(tb testing.TB, image, program string, args ...string) string {
	tb.Helper()
	content, err := os.ReadFile(c.programs.built(program))
	if err != nil {
		tb.Fatal(err)
	}
	var layer bytes.Buffer
	w := tar.NewWriter(&layer)
	writeEntry(tb, w, &tar.Header{Name: "tmp/", Typeflag: tar.TypeDir, Mode: 0o1777}, nil)
	writeEntry(tb, w, &tar.Header{Name: program, Typeflag: tar.TypeReg, Mode: 0o755, Size: int64(len(content))}, content)
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	file := filepath.Join(c.dir, filepath.Base(image)+".tar")
	if err := writeImage(file, image, layer.Bytes(), append([]string{"/" + program}, args...)); err != nil {
		tb.Fatal(err)
	}
	return file
}

func writeEntry(tb testing.TB, w *tar.Writer, header *tar.Header, content []byte) {
	tb.Helper()
	if err := w.WriteHeader(header); err != nil {
		tb.Fatal(err)
	}
	if _, err := w.Write(content); err != nil {
		tb.Fatal(err)
	}
}

func writeImage(file, image string, content []byte, entrypoint []string) error {
	tag, err := name.NewTag(image)
	if err != nil {
		return err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil })
	if err != nil {
		return err
	}
	base, err := mutate.ConfigFile(empty.Image, &v1.ConfigFile{
		OS: "linux", Architecture: runtime.GOARCH, RootFS: v1.RootFS{Type: "layers"},
		Config: v1.Config{Entrypoint: entrypoint, User: "65532:65532"},
	})
	if err != nil {
		return err
	}
	built, err := mutate.AppendLayers(base, layer)
	if err != nil {
		return err
	}
	return tarball.WriteToFile(file, tag, built)
}
