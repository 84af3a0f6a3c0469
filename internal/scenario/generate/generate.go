// Package generate writes the files that are generated from the types of package spec: the JSON schema for editors,
// the arguments of verbs for scenarios in code, and the tables in docs/scenarios.md and docs/faults.md.
package generate

import (
	"os"
	"path/filepath"

	"github.com/cosi-emu/cosi-emu/internal/scenario/schema"
)

// Files returns the contents of all generated files, by their paths below root, the root of the repository.
func Files(root string) (map[string][]byte, error) {
	const verbs, effects = "docs/scenarios.md", "docs/faults.md"
	described, err := schema.Generate()
	if err != nil {
		return nil, err
	}
	written, err := arguments()
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{"scenarios/schema.json": described, "scenarios/zz_generated.arguments.go": written}
	for name, update := range map[string]func([]byte) ([]byte, error){verbs: page, effects: faultPage} {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			return nil, err
		}
		if files[name], err = update(text); err != nil {
			return nil, err
		}
	}
	return files, nil
}
