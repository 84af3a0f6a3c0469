package release_test

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/CycloneDX/cyclonedx-go"
)

// untar unpacks an archive, with the owners of its files if this user may change them.
func untar(t *testing.T, r io.Reader, dir string) {
	t.Helper()
	for archive := tar.NewReader(r); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if !filepath.IsLocal(header.Name) || path.Clean(header.Name) != strings.TrimSuffix(header.Name, "/") {
			t.Fatalf("%s is outside of the archive", header.Name)
		}
		if err := unpack(archive, header, filepath.Join(dir, header.Name)); err != nil { //nolint:gosec // it is local
			t.Fatal(err)
		}
	}
}

func unpack(r io.Reader, header *tar.Header, target string) error {
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	if header.Typeflag == tar.TypeDir {
		if err := os.MkdirAll(target, 0o755); err != nil {
			return err
		}
	} else {
		f, err := os.Create(target)
		if err != nil {
			return err
		}
		_, err = io.Copy(f, r)
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	if os.Geteuid() == 0 {
		if err := os.Chown(target, header.Uid, header.Gid); err != nil {
			return err
		}
	}
	mode := header.FileInfo().Mode()
	return os.Chmod(target, mode.Perm()|mode&os.ModeSticky)
}

// within returns a command whose root is a directory.
func within(t *testing.T, root, program string, args ...string) *exec.Cmd {
	t.Helper()
	if os.Geteuid() != 0 || runtime.GOOS != "linux" {
		t.Skip("only root of a Linux machine can run a program in another root")
	}
	null := filepath.Join(root, "dev", "null")
	if err := os.MkdirAll(filepath.Dir(null), 0o755); err != nil {
		t.Fatal(err)
	}
	if f, err := os.OpenFile(null, os.O_CREATE, 0o666); err == nil {
		_ = f.Close() // it is empty
	}
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Path, cmd.Err = program, nil // this program does not look it up in that root
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: root}
	cmd.Dir, cmd.Env = "/", []string{}
	cmd.Stdin = strings.NewReader("")
	return cmd
}

// unpacked returns a directory with only the files of the archive.
func unpacked(t *testing.T) string {
	t.Helper()
	f, err := os.Open(name(t, ".tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // only read
	compressed, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	untar(t, compressed, dir)
	return dir
}

func TestArchive(t *testing.T) {
	dir := unpacked(t)
	base := filepath.Base(name(t, ""))
	for file, want := range map[string]string{
		"LICENSE": "Apache License", "README.md": "# cosi-emu", "CHANGELOG.md": "# Changelog",
		"man/man1/cosi-emu.1":           version,
		"man/man1/cosi-emu-up.1":        "listen",
		"completions/cosi-emu.bash":     "complete -o default -F __start_cosi-emu cosi-emu",
		"completions/_cosi-emu":         "#compdef cosi-emu",
		"completions/cosi-emu.fish":     "complete -c cosi-emu",
		"man/man1/cosi-emu-fault-add.1": "effect",
	} {
		if text := read(t, filepath.Join(dir, base, filepath.FromSlash(file))); !strings.Contains(text, want) {
			t.Errorf("%s does not contain %q", file, want)
		}
	}
}

// TestArchiveRuns runs the program without any other file, library or home.
func TestArchiveRuns(t *testing.T) {
	dir := unpacked(t)
	program := "/" + filepath.Base(name(t, "")) + "/cosi-emu"
	for _, tc := range []struct {
		args []string
		want string
	}{
		{args: []string{"version"}, want: "cosi-emu " + version},
		{args: []string{"example"}, want: "kind: BucketClaim"},
		{args: []string{"schema"}, want: "$schema"},
	} {
		text, err := within(t, dir, program, tc.args...).CombinedOutput()
		if err != nil || !strings.Contains(string(text), tc.want) {
			t.Errorf("cosi-emu %s: %v\n%s\nwant %q", strings.Join(tc.args, " "), err, text, tc.want)
		}
	}
}

func TestBill(t *testing.T) {
	bill := cyclonedx.NewBOM()
	if err := json.Unmarshal([]byte(read(t, name(t, ".cdx.json"))), bill); err != nil {
		t.Fatal(err)
	}
	if self := bill.Metadata.Component; self.Name != "cosi-emu" || self.Version != version {
		t.Errorf("the bill is of %s %s", self.Name, self.Version)
	}
	for _, want := range []string{"std", "k8s.io/client-go", "github.com/spf13/cobra"} {
		found := slices.ContainsFunc(*bill.Components, func(c cyclonedx.Component) bool {
			return c.Name == want && c.Version != "" && c.PackageURL == "pkg:golang/"+want+"@"+c.Version
		})
		if !found {
			t.Errorf("the bill has no %s", want)
		}
	}
}

// TestFormula downloads the files that the checksums list.
func TestFormula(t *testing.T) {
	formula := read(t, filepath.Join(files(t), "cosi-emu.rb"))
	archive := filepath.Base(name(t, ".tar.gz"))
	var sum string
	for line := range strings.Lines(read(t, filepath.Join(files(t), "checksums.txt"))) {
		if fields := strings.Fields(line); fields[1] == archive {
			sum = fields[0]
		}
	}
	for _, want := range []string{"/releases/download/" + version + "/" + archive + `"`, `sha256 "` + sum + `"`} {
		if !strings.Contains(formula, want) {
			t.Errorf("the formula does not contain %s:\n%s", want, formula)
		}
	}
}
