package shrink

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestInclude verifies that the steps of used files, and of files that these use, are inlined.
func TestInclude(t *testing.T) {
	dir := t.TempDir()
	const head = "apiVersion: cosi-emu/v1alpha1\nkind: Steps\nsteps:\n"
	for name, text := range map[string]string{
		"steps/outer.yaml": head + "- use: inner.yaml\n- settle: {}\n",
		"steps/inner.yaml": head + "- mark: here\n- repeat: {times: 2, steps: [{use: last.yaml}]}\n",
		"steps/last.yaml":  head + "- expect: {ConfigMap/a: absent}\n",
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, err := newTree(filepath.Join(dir, "whole.yaml"), []byte(`apiVersion: cosi-emu/v1alpha1
kind: Scenario
name: whole
steps:
- use: steps/outer.yaml
- use: steps/last.yaml
  timeout: 2s
`))
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.text()
	if err != nil {
		t.Fatal(err)
	}
	const want = `apiVersion: cosi-emu/v1alpha1
kind: Scenario
name: whole
steps:
  - mark: here
  - repeat: {times: 2, steps: [{expect: {ConfigMap/a: absent}}]}
  - settle: {}
  - use: steps/last.yaml
    timeout: 2s
`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}
