// Package image maps the images of containers to commands of this machine.
package image

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/emulator/description"
	"github.com/cosi-emu/cosi-emu/internal/glob"
)

// Images are the images of a node. If several patterns match, the longest applies.
type Images []description.Image

// Of returns the images of a map of patterns to commands, as scenarios have it. Words are separated by spaces.
func Of(commands map[string]string) (all Images) {
	for _, pattern := range slices.Sorted(maps.Keys(commands)) {
		all = append(all, description.Image{Pattern: pattern, Command: strings.Fields(commands[pattern])})
	}
	return all
}

// Parse parses PATTERN=COMMAND [ARGUMENT ...]. Words are separated by spaces.
func Parse(text string) (description.Image, error) {
	pattern, command, found := strings.Cut(text, "=")
	if !found || pattern == "" || strings.ContainsAny(pattern, " \t") {
		return description.Image{}, fmt.Errorf("image %q must have the form IMAGE=COMMAND, for instance amazon/aws-cli=aws; "+
			"* in IMAGE matches any characters", text)
	}
	return description.Image{Pattern: pattern, Command: strings.Fields(command)}, nil
}

// Find returns the command of an image, and whether the node has the image.
func (i Images) Find(image string) (command []string, found bool) {
	longest := -1
	for _, candidate := range i {
		if len(candidate.Pattern) > longest && matches(candidate.Pattern, image) {
			longest, command = len(candidate.Pattern), candidate.Command
		}
	}
	return command, longest >= 0
}

// matches reports whether a pattern matches an image.
func matches(pattern, image string) bool {
	image = strings.TrimPrefix(strings.TrimPrefix(image, "docker.io/"), "library/")
	return slices.ContainsFunc([]string{image, Untagged(image)}, func(name string) bool { return glob.Match(pattern, name) })
}

// Untagged returns an image without tag and digest.
func Untagged(image string) string {
	image, _, _ = strings.Cut(image, "@")
	if colon := strings.LastIndex(image, ":"); colon > strings.LastIndex(image, "/") {
		image = image[:colon]
	}
	return image
}
