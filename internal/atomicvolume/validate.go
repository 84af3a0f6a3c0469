package atomicvolume

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
)

// validate rejects paths that a volume cannot have.
func validate(files map[string]File) error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(files)) {
		switch {
		case name == "." || !fs.ValidPath(name):
			errs = append(errs, fmt.Errorf("path %q must be relative, and must not have empty elements, . or .. in it", name))
		case strings.HasPrefix(name, reserved):
			errs = append(errs, fmt.Errorf("path %q must not start with %q, which the volume itself uses", name, reserved))
		default:
			errs = append(errs, validateParents(name, files))
		}
	}
	return errors.Join(errs...)
}

func validateParents(name string, files map[string]File) error {
	for parent := path.Dir(name); parent != "."; parent = path.Dir(parent) {
		if _, isFile := files[parent]; isFile {
			return fmt.Errorf("path %q is below %q, which is a file", name, parent)
		}
	}
	return nil
}
