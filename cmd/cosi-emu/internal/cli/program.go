package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Program returns the command that runs this program again from the same directory.
func Program() string {
	self, err := Executable()
	if err != nil {
		return "cosi-emu"
	}
	if strings.Contains(self, string(filepath.Separator)+"go-build") { // a binary that `go run` will delete
		return "go run ./cmd/cosi-emu"
	}
	if found, err := exec.LookPath("cosi-emu"); err == nil {
		if found, err = filepath.EvalSymlinks(found); err == nil && found == self {
			return "cosi-emu"
		}
	}
	return Quote(self)
}

// Executable returns the path of this program.
func Executable() (string, error) {
	path, err := os.Executable()
	if err == nil {
		return path, nil
	}
	// without /proc, as in an empty root
	if path, notFound := exec.LookPath(os.Args[0]); notFound == nil {
		return filepath.Abs(path)
	}
	return "", fmt.Errorf("find this program: %w", err)
}
