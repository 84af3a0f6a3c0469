package command

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
)

func TestConvert(t *testing.T) {
	const (
		head = "apiVersion: objectstorage.k8s.io/v1alpha2\nkind: BucketAccess\nmetadata: {name: a}\n"
		one  = head + "spec: {bucketClaims: [{accessMode: ReadOnly}]}"
		kep  = head + "spec: {bucketClaims: [{accessModes: {objectData: ReadOnly}}]}\n"
		two  = head + "spec: {bucketClaims: [{accessModes: {objectData: ReadOnly, bucketMetadata: ReadWrite}}]}\n"
	)
	file := filepath.Join(t.TempDir(), "one.yaml")
	if err := os.WriteFile(file, []byte(one), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		reason string
		args   []string
		input  string
		code   int
		out    string
		says   []string
	}{
		"Files": {
			"their documents stay apart", []string{"-f", file, "-f", "-"}, one, cli.ExitOK, kep + "---\n" + kep,
			[]string{"one.yaml:4: BucketAccess a: spec", "stdin:4: BucketAccess a: spec", "Converted to kep: 2 fields.\n"},
		},
		"Unchanged": {
			"it is as it was", []string{"-f", "-", "--to", "one-mode"}, one, cli.ExitOK, one,
			[]string{"Converted to one-mode: 0 fields."},
		},
		"Impossible": {
			"nothing is printed", []string{"-f", file, "-f", "-", "--to", "one-mode"}, two, cli.ExitUsage, "",
			[]string{"stdin:4: BucketAccess a: spec.bucketClaims[0].accessModes cannot be converted to one-mode: bucketMetadata differs"},
		},
		"NoFile":       {"there is no such file", []string{"-f", "none.yaml"}, "", cli.ExitUsage, "", []string{"none.yaml"}},
		"NoFlag":       {"a file is required", nil, one, cli.ExitUsage, "", []string{"--filename is required"}},
		"UnknownDraft": {"it is misspelt", []string{"-f", file, "--to", "kap"}, "", cli.ExitUsage, "", []string{`--to: unknown draft "kap"`}},
	} {
		t.Run(name, func(t *testing.T) {
			var out, errs bytes.Buffer
			streams := cli.Streams{In: strings.NewReader(tc.input), Out: &out, Err: &errs}
			code := Run(t.Context(), streams, append([]string{"convert"}, tc.args...))
			if diff := cmp.Diff(tc.out, out.String()); diff != "" || code != tc.code {
				t.Errorf("%s: exit code %d, want %d; output -want, +got:\n%s\n%s", tc.reason, code, tc.code, diff, errs.String())
			}
			for _, want := range tc.says {
				if !strings.Contains(errs.String(), want) {
					t.Errorf("%s: it does not say %q, but:\n%s", tc.reason, want, errs.String())
				}
			}
		})
	}
}
