package release

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// TestDockerfile compares the image of the Dockerfile with the image of a release.
func TestDockerfile(t *testing.T) {
	text, err := os.ReadFile("../../../../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	_, last, _ := strings.Cut(strings.ReplaceAll(string(text), "\\\n", " "), "\nFROM scratch\n")
	got := v1.Config{Labels: map[string]string{}}
	for line := range strings.Lines(last) {
		instruction, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch instruction {
		case "ENTRYPOINT":
			if err := json.Unmarshal([]byte(rest), &got.Entrypoint); err != nil {
				t.Fatal(err)
			}
		case "ENV":
			got.Env = strings.Fields(rest)
		case "USER":
			got.User = rest
		case "WORKDIR":
			got.WorkingDir = rest
		case "LABEL":
			for label := range strings.SplitSeq(rest, "\" ") {
				name, value, _ := strings.Cut(strings.TrimSpace(label), "=")
				got.Labels[name] = strings.Trim(value, "\"")
			}
		}
	}
	want := Options{}.config()
	delete(want.Labels, "org.opencontainers.image.version") // only a release has these
	delete(want.Labels, "org.opencontainers.image.created")
	if !reflect.DeepEqual(want, got) {
		t.Errorf("release:    %+v\nDockerfile: %+v", want, got)
	}
}
