package release

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// chartName is the name of the Helm chart, which is also the directory in its archive.
const chartName = "cosi"

// writeChart packages the Helm chart, as `helm package --version --app-version` does: its image is the release's.
func (o Options) writeChart() error {
	files, err := below(filepath.Join(o.Root, "deploy", "chart"))
	if err != nil {
		return err
	}
	described := false
	for i := range files {
		if files[i].name == "Chart.yaml" {
			if files[i], err = o.withVersion(files[i]); err != nil {
				return fmt.Errorf("deploy/chart/Chart.yaml: %w", err)
			}
			described = true
		}
		files[i].name = chartName + "/" + files[i].name
	}
	if !described {
		return errors.New("deploy/chart has no Chart.yaml")
	}
	return writeTo(o.path(chartName+"-"+strings.TrimPrefix(o.Version, "v")+".tgz"), func(w io.Writer) error {
		compressed, err := gzip.NewWriterLevel(w, gzip.BestCompression)
		if err != nil {
			return err
		}
		return errors.Join(writeTar(compressed, files, o.Time), compressed.Close())
	})
}

// versionLine matches the two versions of a chart: its own, and the default tag of its image.
var versionLine = regexp.MustCompile(`(?m)^(version|appVersion): .*$`)

// withVersion returns the description of the chart with the version of the release.
func (o Options) withVersion(f file) (file, error) {
	content, err := os.ReadFile(f.path)
	if err != nil {
		return f, err
	}
	if found := len(versionLine.FindAll(content, -1)); found != 2 {
		return f, fmt.Errorf("it has %d lines with version and appVersion, want 2", found)
	}
	f.content = versionLine.ReplaceAllFunc(content, func(line []byte) []byte {
		if strings.HasPrefix(string(line), "appVersion") {
			return []byte("appVersion: " + o.Version)
		}
		return []byte("version: " + strings.TrimPrefix(o.Version, "v"))
	})
	f.path = ""
	return f, nil
}
