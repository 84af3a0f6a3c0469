package startup

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"

	"github.com/spf13/pflag"
	"sigs.k8s.io/yaml"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/emulator"
)

// imagesFile is the file in the working directory that maps images to commands.
const imagesFile = "cosi-emu.yaml"

// pods are the flags of Pods.
type pods struct {
	enabled bool
	images  []string
}

// addFlags adds the flags --pods and --image.
func (p *pods) addFlags(flags *pflag.FlagSet) {
	flags.BoolVar(&p.enabled, "pods", false,
		"run Pods as processes of this machine, as your user and without isolation; see --image")
	flags.StringArrayVar(&p.images, "image", nil,
		"with --pods: command of this machine for an image, IMAGE=COMMAND, where * in IMAGE matches any characters; can be repeated "+
			"(also in "+imagesFile+")")
}

// apply sets the options of an emulator.
func (p *pods) apply(options *emulator.Options) error {
	if !p.enabled {
		if len(p.images) > 0 {
			return cli.Usage(errors.New("--image requires --pods"))
		}
		return nil
	}
	options.Pods = true
	images, err := readImages(imagesFile)
	if err != nil {
		return cli.Usage(err)
	}
	for _, text := range p.images {
		image, err := emulator.ParseImage(text)
		if err != nil {
			return cli.Usage(fmt.Errorf("--image: %w", err))
		}
		images = slices.DeleteFunc(images, func(i emulator.Image) bool { return i.Pattern == image.Pattern })
		images = append(images, image)
	}
	options.Images = append(options.Images, images...)
	return nil
}

// readImages returns the images of a file, if it exists.
func readImages(file string) ([]emulator.Image, error) {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var content struct {
		Images map[string]string `json:"images"`
	}
	if err := yaml.UnmarshalStrict(data, &content); err != nil {
		return nil, fmt.Errorf("%s must have the form 'images: {IMAGE: COMMAND}': %w", file, err)
	}
	var images []emulator.Image
	for _, pattern := range slices.Sorted(maps.Keys(content.Images)) {
		image, err := emulator.ParseImage(pattern + "=" + content.Images[pattern])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		images = append(images, image)
	}
	return images, nil
}
