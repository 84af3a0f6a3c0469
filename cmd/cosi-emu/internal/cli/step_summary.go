package cli

import (
	"errors"
	"io"
	"os"
)

// stepSummary is the variable with the file to which GitHub's runners expect a summary to be
// appended.
const stepSummary = "GITHUB_STEP_SUMMARY"

const summaryMode = 0o644

// AppendStepSummary appends to the summary of a step of GitHub Actions. It does nothing elsewhere.
func AppendStepSummary(write func(io.Writer) error) error {
	path := os.Getenv(stepSummary)
	if path == "" {
		return nil
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, summaryMode) //nolint:gosec // the runner reads it
	if err != nil {
		return err
	}
	return errors.Join(write(file), file.Close())
}
