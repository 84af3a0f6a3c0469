// Command generate writes the pages of package kepcoverage. Run it in the directory
// of that package.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/cosi-emu/cosi-emu/hack/kepcoverage"
)

func main() {
	if err := generate(filepath.Join("..", "..")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func generate(root string) error {
	files, err := kepcoverage.Generate(root)
	if err != nil {
		return err
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(root, name), []byte(content), 0o644); err != nil { //nolint:gosec // pages are for everyone to read
			return err
		}
	}
	return nil
}
