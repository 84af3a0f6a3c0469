package release

import (
	_ "embed"
	"io"
	"slices"
	"strings"
	"text/template"
)

//go:embed cosi-emu.rb.tmpl
var formula string

type download struct{ CPU, URL, SHA256 string }

type system struct {
	Name      string
	Downloads []download
}

// writeFormula writes the Homebrew formula, for the platforms of the release.
func (o Options) writeFormula(programs []program) error {
	var systems []system
	for goos, name := range map[string]string{"darwin": "macos", "linux": "linux"} {
		s, err := o.system(goos, name, programs)
		if err != nil {
			return err
		}
		if len(s.Downloads) > 0 {
			systems = append(systems, s)
		}
	}
	slices.SortFunc(systems, func(a, b system) int { return strings.Compare(b.Name, a.Name) }) // macOS first
	t, err := template.New("formula").Parse(formula)
	if err != nil {
		return err
	}
	return writeTo(o.path("cosi-emu.rb"), func(w io.Writer) error {
		return t.Execute(w, map[string]any{"Version": strings.TrimPrefix(o.Version, "v"), "Tag": o.Version, "Systems": systems})
	})
}

func (o Options) system(goos, name string, programs []program) (system, error) {
	s := system{Name: name}
	for _, p := range programs {
		if p.os != goos {
			continue
		}
		archive := p.archive(o.Version)
		sum, err := checksum(o.path(archive))
		if err != nil {
			return s, err
		}
		cpu := map[string]string{"amd64": "intel", "arm64": "arm"}[p.arch]
		s.Downloads = append(s.Downloads, download{cpu, "https://" + module + "/releases/download/" + o.Version + "/" + archive, sum})
	}
	return s, nil
}
