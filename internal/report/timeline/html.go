package timeline

import (
	"bufio"
	"embed"
	"fmt"
	"html/template"
	"io"
	"sync"

	"github.com/cosi-emu/cosi-emu/internal/report"
)

//go:embed html/*.html
var files embed.FS

var pages = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").ParseFS(files, "html/*.html"))
})

// bufferBytes is the size of a write: templates write word by word.
const bufferBytes = 64 << 10

// Write writes the report as one self-contained HTML file. It returns the first error of the
// writer, or of a body that no template can show, which is a bug.
func Write(w io.Writer, r report.Report) error { return WriteAs(w, r, Presentation{}) }

// WriteAs is Write for a report that is not about scenarios.
func WriteAs(w io.Writer, r report.Report, as Presentation) error {
	buffered := bufio.NewWriterSize(w, bufferBytes)
	if err := pages().ExecuteTemplate(buffered, "page.html", newPage(r, as.withDefaults())); err != nil {
		return fmt.Errorf("write the HTML report: %w", err)
	}
	if err := buffered.Flush(); err != nil {
		return fmt.Errorf("write the HTML report: %w", err)
	}
	return nil
}
