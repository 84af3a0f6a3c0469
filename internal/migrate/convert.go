package migrate

import (
	"bytes"
	"errors"
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/cosi-emu/cosi-emu/internal/drafts"
	"github.com/cosi-emu/cosi-emu/internal/manifest"
)

// Converted are the documents of a file after Convert.
type Converted struct {
	// Text has all documents.
	Text []byte
	// Changes are lines of the form FILE:LINE: CHANGE.
	Changes []string
}

// Convert rewrites the objects of v1alpha2 in a file for a draft of that version. It keeps
// everything else, and comments; documents without changes stay identical. The error lists
// everything that the draft cannot express, and wraps ErrInput.
func Convert(file string, data []byte, to drafts.Draft) (Converted, error) {
	if _, err := manifest.DecodeFile(file, data); err != nil {
		return Converted{}, fmt.Errorf("%w: %w", ErrInput, err)
	}
	var (
		all  Converted
		errs []error
	)
	for _, document := range manifest.Documents(data) {
		errs = append(errs, all.add(file, document, to))
	}
	return all, errors.Join(errs...)
}

func (c *Converted) add(file string, document manifest.Document, to drafts.Draft) error {
	node := &yaml.Node{}
	if err := yaml.Unmarshal(document.Text, node); err != nil {
		return fmt.Errorf("%w: %s: %w", ErrInput, file, err)
	}
	lists := compact(node)
	changes, failures := drafts.Rewrite(node, to)
	at := func(change drafts.Change) string {
		return fmt.Sprintf("%s:%d: %s", file, document.Line+change.Line, change.Text)
	}
	var errs []error
	for _, failure := range failures {
		errs = append(errs, fmt.Errorf("%w: %s", ErrInput, at(failure)))
	}
	text := document.Source()
	if len(changes) > 0 {
		var err error
		text, err = encode(node, document.Separated(), lists)
		errs = append(errs, err)
	}
	c.Text = append(c.Text, text...)
	for _, change := range changes {
		c.Changes = append(c.Changes, at(change))
	}
	return errors.Join(errs...)
}

// encode returns a document, with its separator and the layout of its lists.
func encode(document *yaml.Node, separated, compact bool) ([]byte, error) {
	var text bytes.Buffer
	if separated {
		text.WriteString("---\n")
	}
	encoder := yaml.NewEncoder(&text)
	encoder.SetIndent(2)
	if compact {
		encoder.CompactSeqIndent()
	}
	err := errors.Join(encoder.Encode(document), encoder.Close())
	return text.Bytes(), err
}

// compact reports whether the items of lists start at the column of their field.
func compact(n *yaml.Node) bool {
	for i, inner := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 1 && inner.Kind == yaml.SequenceNode && inner.Style&yaml.FlowStyle == 0 {
			return inner.Column == n.Content[i-1].Column
		}
		if compact(inner) {
			return true
		}
	}
	return false
}
