package migrate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"sigs.k8s.io/yaml"
)

// WriteYAML writes the objects, below comments with the decisions and the accounts. It writes all
// or nothing.
func (p *Plan) WriteYAML(w io.Writer) error {
	var page bytes.Buffer
	for line := range strings.Lines(p.summary()) {
		page.WriteString(strings.TrimSuffix("# "+strings.TrimRight(line, " \n"), " ") + "\n")
	}
	for _, object := range p.Objects {
		data, err := yaml.Marshal(object)
		if err != nil {
			return err
		}
		page.WriteString("---\n")
		page.Write(data)
	}
	_, err := w.Write(page.Bytes())
	return err
}

// summary is for users before they apply the objects.
func (p *Plan) summary() string {
	var text strings.Builder
	text.WriteString("COSI v1alpha2, translated from v1alpha1 by 'cosi-emu migrate'.\n" +
		"docs/migrating.md has the steps and the meaning of the codes.\n")
	if len(p.Decisions) == 0 {
		text.WriteString("\nThere is nothing to decide.\n")
	} else {
		text.WriteString("\nTo decide before you apply it:\n")
	}
	for _, decision := range p.Decisions {
		fmt.Fprintf(&text, "\n- %s: %s: %s\n", decision.Outcome, decision.Object, decision.Code)
		for _, line := range wrap(oneLine(decision.Message)) {
			fmt.Fprintf(&text, "  %s\n", line)
		}
	}
	if len(p.Accounts) == 0 {
		return text.String()
	}
	text.WriteString("\nThe accounts of v1alpha1, to be revoked once the applications use the new Secrets:\n\n")
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "BUCKETACCESS\tDRIVER\tBUCKET ID\tACCOUNT ID\tOLD SECRET\tNEW SECRET") // a builder never fails
	for _, a := range p.Accounts {
		_, _ = fmt.Fprintf(table, "%s/%s\t%s\t%s\t%s\t%s\t%s\n", a.Namespace, a.Name,
			oneLine(a.DriverName), oneLine(a.BucketID), oneLine(a.AccountID), oneLine(a.OldSecret), a.NewSecret)
	}
	_ = table.Flush()
	return text.String()
}

// oneLine quotes text that would end a comment, or a column of a table.
func oneLine(text string) string {
	if strings.ContainsAny(text, "\n\r\t\u0085\u2028\u2029") {
		return fmt.Sprintf("%q", text)
	}
	return text
}

// wrap breaks text into lines that fit a terminal.
func wrap(text string) (lines []string) {
	const width = 96
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	return append(lines, line)
}

// MarshalJSON renders the plan as a List of Kubernetes, which kubectl reads, too, with the
// decisions and accounts beside the items.
func (p *Plan) MarshalJSON() ([]byte, error) {
	list := struct {
		APIVersion string     `json:"apiVersion"`
		Kind       string     `json:"kind"`
		Items      []any      `json:"items"`
		Decisions  []Decision `json:"decisions"`
		Accounts   []Account  `json:"accounts"`
	}{"v1", "List", []any{}, append([]Decision{}, p.Decisions...), append([]Account{}, p.Accounts...)}
	for _, object := range p.Objects {
		list.Items = append(list.Items, object)
	}
	return json.Marshal(list)
}
