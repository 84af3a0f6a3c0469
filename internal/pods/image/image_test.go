package image_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/emulator/description"
	"github.com/cosi-emu/cosi-emu/internal/pods/image"
)

func TestFind(t *testing.T) {
	t.Parallel()
	images := image.Images{
		{Pattern: "amazon/aws-cli", Command: []string{"aws"}},
		{Pattern: "*", Command: []string{"any"}},
		{Pattern: "busybox", Command: nil},
		{Pattern: "busybox:1.37", Command: []string{"sh", "-c", "true"}},
		{Pattern: "registry.example:5000/*", Command: []string{"own"}},
	}
	for name, test := range map[string]struct {
		image string
		want  []string
	}{
		"Name":         {"amazon/aws-cli", []string{"aws"}},
		"Tag":          {"amazon/aws-cli:2.31.0", []string{"aws"}},
		"Digest":       {"amazon/aws-cli@sha256:0123", []string{"aws"}},
		"TagAndDigest": {"amazon/aws-cli:2@sha256:0123", []string{"aws"}},
		"Registry":     {"docker.io/amazon/aws-cli:2", []string{"aws"}},
		"Library":      {"docker.io/library/busybox:1.36", nil},
		"Longest":      {"busybox:1.37", []string{"sh", "-c", "true"}},
		"Port":         {"registry.example:5000/app", []string{"own"}},
		"Any":          {"nginx", []string{"any"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, found := images.Find(test.image)
			if diff := cmp.Diff(test.want, got); diff != "" || !found {
				t.Errorf("found %t, command of %s (-want +got):\n%s", found, test.image, diff)
			}
		})
	}
	if command, found := images[:1].Find("amazon/aws-cli-other"); found {
		t.Errorf("an image without mapping has the command %q", command)
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	got, err := image.Parse("amazon/aws-cli:*=aws --no-cli-pager")
	want := description.Image{Pattern: "amazon/aws-cli:*", Command: []string{"aws", "--no-cli-pager"}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("error %v; image (-want +got):\n%s", err, diff)
	}
	for _, text := range []string{"", "aws", "=aws", "two words=aws"} {
		if _, err := image.Parse(text); err == nil {
			t.Errorf("image %q is accepted", text)
		}
	}
}
