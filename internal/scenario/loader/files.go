package loader

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ErrNothing means that the paths contain no scenario, or that none was selected.
var ErrNothing = errors.New("no scenario to run")

type found struct {
	files []string
	// named are the files that the user has named. Directories may also contain other YAML files.
	named map[string]bool
	// dirs are all directories, to watch for changes.
	dirs []string
}

// find returns the files, and the YAML files in directories and below, sorted by name and without
// duplicates.
func find(paths []string) (found, error) {
	f := found{named: map[string]bool{}}
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return f, fmt.Errorf("find scenarios: %w", err)
		}
		path = filepath.Clean(path)
		if !info.IsDir() {
			f.named[path] = true
			f.add(path)
			continue
		}
		if err := filepath.WalkDir(path, f.visit); err != nil {
			return f, fmt.Errorf("find scenarios: %w", err)
		}
	}
	return f, nil
}

func (f *found) add(file string) {
	if !slices.Contains(f.files, file) {
		f.files = append(f.files, file)
		f.addDir(filepath.Dir(file))
	}
}

func (f *found) addDir(dir string) {
	if !slices.Contains(f.dirs, dir) {
		f.dirs = append(f.dirs, dir)
	}
}

// visit is a fs.WalkDirFunc. It skips hidden directories.
func (f *found) visit(path string, entry fs.DirEntry, err error) error {
	switch {
	case err != nil:
		return err
	case entry.IsDir() && strings.HasPrefix(entry.Name(), ".") && entry.Name() != "." && entry.Name() != "..":
		return filepath.SkipDir
	case entry.IsDir():
		f.addDir(path)
	case isYAML(path):
		f.add(path)
	}
	return nil
}

func isYAML(file string) bool {
	extension := filepath.Ext(file)
	return extension == ".yaml" || extension == ".yml"
}
