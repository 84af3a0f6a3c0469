package explore

import (
	"fmt"
	"os"
	"path/filepath"
)

const (
	dirMode  = 0o700
	fileMode = 0o600
)

// WriteScenarios writes the shrunk scenario of each group into a directory, which is
// made if there is none, and notes the names of the files in the report.
func (r *Report) WriteScenarios(dir string) error {
	for i := range r.Findings {
		g := &r.Findings[i]
		if g.Shrunk == "" {
			continue
		}
		if err := os.MkdirAll(dir, dirMode); err != nil {
			return fmt.Errorf("make the directory for scenarios: %w", err)
		}
		g.File = filepath.Join(dir, fmt.Sprintf("%s-%02d-%s.yaml", r.Scenario, i+1, g.Oracle))
		if err := os.WriteFile(g.File, []byte(g.Shrunk), fileMode); err != nil {
			return fmt.Errorf("write a scenario: %w", err)
		}
	}
	return nil
}
