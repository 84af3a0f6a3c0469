package command

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/internal/counted"
	"github.com/cosi-emu/cosi-emu/internal/drafts"
	"github.com/cosi-emu/cosi-emu/internal/migrate"
)

func newConvert(streams cli.Streams) *cobra.Command {
	var (
		files []string
		to    string
	)
	cmd := &cobra.Command{
		Use:   "convert",
		Short: "Convert manifests of v1alpha2 between drafts",
		Long: `Print the manifests of files with the fields of another draft of v1alpha2. Two drafts have
the same apiVersion:

  kep       today's: accessModes: {objectData: ReadWrite}, and an object of lists in
            disallowedBucketAccessModes
  one-mode  upstream's definitions of 2026: accessMode: ReadWrite, and a list in
            disallowedBucketAccessModes

Other fields, other objects and comments stay. Documents in which nothing changes are
printed as they are. Each change is a line on standard error.

Modes that differ by category cannot be converted to one-mode: then nothing is
printed, and the exit code is 2. 'cosi-emu migrate' translates objects of v1alpha1.`,
		Example: `  cosi-emu convert -f access.yaml > access-kep.yaml
  cosi-emu convert -f class.yaml -f access.yaml | kubectl apply -f -

  # For a cluster with upstream's CustomResourceDefinitions.
  cosi-emu example | cosi-emu convert -f - --to one-mode`,
		RunE: func(*cobra.Command, []string) error { return convert(streams, files, to) },
	}
	cmd.Flags().StringArrayVarP(&files, "filename", "f", nil, "file with manifests, - for standard input; can be repeated (required)")
	cmd.Flags().StringVar(&to, "to", string(drafts.KEP), "draft to convert to: "+strings.Join(drafts.Names(), " or "))
	cli.Values(cmd.Flags(), "to", drafts.Names()...)
	return cmd
}

// convert prints the converted documents of all files, or nothing.
func convert(streams cli.Streams, files []string, to string) error {
	draft, err := drafts.Parse(to)
	if err != nil {
		return cli.Usage(fmt.Errorf("--to: %w", err))
	}
	if len(files) == 0 {
		return cli.Usage(errors.New("--filename is required: a file with manifests, or - for standard input"))
	}
	text, changes, err := convertFiles(streams, files, draft)
	if err != nil {
		return cli.Usage(err)
	}
	if _, err := streams.Out.Write(text); err != nil {
		return err
	}
	_, err = fmt.Fprintln(streams.Err, strings.Join(append(changes, "Converted to "+to+": "+counted.Of(len(changes), "field")+"."), "\n"))
	return err
}

// convertFiles returns the converted documents of files, and the changes. The error lists all
// problems.
func convertFiles(streams cli.Streams, files []string, to drafts.Draft) (text []byte, changes []string, err error) {
	var (
		all  bytes.Buffer
		errs []error
	)
	for _, file := range files {
		name, data, err := cli.ReadInput(streams, file)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		converted, err := migrate.Convert(name, data, to)
		errs, changes = append(errs, err), append(changes, converted.Changes...)
		appendDocuments(&all, converted.Text)
	}
	return all.Bytes(), changes, errors.Join(errs...)
}

// appendDocuments appends the documents of a file, with a separator after earlier documents.
func appendDocuments(to *bytes.Buffer, documents []byte) {
	if to.Len() > 0 && len(documents) > 0 {
		if text := to.Bytes(); text[len(text)-1] != '\n' {
			to.WriteByte('\n')
		}
		if !bytes.HasPrefix(documents, []byte("---")) {
			to.WriteString("---\n")
		}
	}
	to.Write(documents)
}
