package release

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// Entrypoint is the program of the image.
const Entrypoint = "/usr/bin/cosi-emu"

const (
	// user is the user of the image, by number, so that a kubelet can recognize that it is not
	// root.
	user = 65532
	home = "/home/nonroot"
)

// writeImage writes the image for all Linux platforms as an archive with an OCI layout.
// It has no shell, no library and no certificates: the control plane is in the program.
func (o Options) writeImage(work string, programs []program) error {
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	found := false
	for _, p := range programs {
		if p.os != "linux" {
			continue
		}
		image, err := o.image(p)
		if err != nil {
			return fmt.Errorf("image for %s: %w", p.arch, err)
		}
		found = true
		index = mutate.AppendManifests(index, mutate.IndexAddendum{
			Add: image, Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: p.os, Architecture: p.arch}},
		})
	}
	if !found {
		return nil
	}
	dir := filepath.Join(work, "image")
	if err := writeLayout(dir, index, o.Version); err != nil {
		return err
	}
	files, err := below(dir)
	if err != nil {
		return err
	}
	return writeTo(o.path("cosi-emu_"+o.Version+"_image.tar"), func(w io.Writer) error { return writeTar(w, files, o.Time) })
}

// Repository is the repository of the image.
const Repository = "ghcr.io/cosi-emu/cosi-emu"

// containerdName is the annotation from which `ctr images import`, and so `kind load image-archive`, takes
// the name of an image. The standard annotation has only its tag.
const containerdName = "io.containerd.image.name"

// writeLayout writes an OCI layout whose one reference is the index.
func writeLayout(dir string, index v1.ImageIndex, version string) error {
	path, err := layout.Write(dir, mutate.IndexMediaType(empty.Index, types.OCIImageIndex))
	if err != nil {
		return err
	}
	if err := path.AppendIndex(index, layout.WithAnnotations(map[string]string{
		"org.opencontainers.image.ref.name": version, containerdName: Repository + ":" + version,
	})); err != nil {
		return err
	}
	return os.RemoveAll(filepath.Join(dir, "ingest")) // of the library, if there is one
}

func (o Options) image(p program) (v1.Image, error) {
	layer, err := o.layer(p)
	if err != nil {
		return nil, err
	}
	base := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	image, err := mutate.Append(base, mutate.Addendum{
		Layer: layer, MediaType: types.OCILayer, History: v1.History{Created: v1.Time{Time: o.Time}, CreatedBy: "make release"},
	})
	if err != nil {
		return nil, err
	}
	config, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture, config.Created = p.os, p.arch, v1.Time{Time: o.Time}
	config.Config = o.config()
	return mutate.ConfigFile(image, config)
}

// config is the configuration of the image. The Dockerfile has the same.
func (o Options) config() v1.Config {
	return v1.Config{
		Entrypoint: []string{Entrypoint},
		User:       fmt.Sprintf("%d:%d", user, user),
		WorkingDir: home,
		// No program of a control plane can run here.
		Env: []string{"PATH=" + filepath.Dir(Entrypoint), "HOME=" + home, "COSI_EMU_CONTROL_PLANE=embedded"},
		Labels: map[string]string{
			"org.opencontainers.image.title":       "cosi-emu",
			"org.opencontainers.image.description": "COSI controller, sidecar, fake driver and emulator (objectstorage.k8s.io)",
			"org.opencontainers.image.source":      "https://" + module,
			"org.opencontainers.image.licenses":    "Apache-2.0",
			"org.opencontainers.image.version":     o.Version,
			"org.opencontainers.image.created":     o.Time.Format(time.RFC3339),
		},
	}
}

func (o Options) layer(p program) (v1.Layer, error) {
	var content bytes.Buffer
	if err := writeTar(&content, append(directories(), []file{
		{name: Entrypoint[1:], path: p.path, mode: 0o755},
		{name: "LICENSE", path: filepath.Join(o.Root, "LICENSE"), mode: 0o644},
		{name: "etc/passwd", content: fmt.Appendf(nil, "nonroot:x:%d:%d:nonroot:%s:/sbin/nologin\n", user, user, home), mode: 0o644},
		{name: "etc/group", content: fmt.Appendf(nil, "nonroot:x:%d:\n", user), mode: 0o644},
	}...), o.Time); err != nil {
		return nil, err
	}
	return tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(content.Bytes())), nil
	}, tarball.WithCompressionLevel(gzip.BestCompression), tarball.WithMediaType(types.OCILayer), tarball.WithCompressedCaching)
}

func directories() []file {
	files := []file{
		{name: "tmp", mode: 0o1777},
		{name: home[1:], mode: 0o700, owner: user},
		// A library creates this directory when the program starts, which would end with a panic on a
		// read-only root file system.
		{name: "tmp/kubebuilder-envtest", mode: 0o755},
	}
	for _, name := range []string{"etc", "home", "usr", "usr/bin"} {
		files = append(files, file{name: name, mode: 0o755})
	}
	for i := range files {
		files[i].dir = true
	}
	return files
}
