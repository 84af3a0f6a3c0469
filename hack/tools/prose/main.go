// Prose counts turns of phrase that give a translation away, per 1,000 words of Go comments, of
// documentation, and of the texts of the program. It prints the files with most of them, and fails
// if a kind of text has more than the bar allows.
//
// usage: prose DIRECTORY-OF-A-REPOSITORY
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strings"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	if len(args) != 1 {
		return errors.New("usage: prose DIRECTORY-OF-A-REPOSITORY")
	}
	files, err := list(ctx, args[0])
	if err != nil {
		return err
	}
	measured, err := measure(args[0], files)
	if err != nil {
		return err
	}
	if err := report(out, measured); err != nil {
		return err
	}
	return judge(measured)
}

// list returns the files that are or can be committed, in the order of their paths.
func list(ctx context.Context, root string) ([]string, error) {
	cmd := exec.CommandContext(ctx, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate")
	cmd.Dir, cmd.Stderr = root, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("git ls-files in %s: %w", root, err)
	}
	files := strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 })
	slices.Sort(files)
	return files, nil
}

func measure(root string, files []string) (map[kind]map[string]count, error) {
	measured := map[kind]map[string]count{comments: {}, docs: {}, texts: {}}
	tree := os.DirFS(root)
	for _, file := range files {
		source, err := fs.ReadFile(tree, file)
		if errors.Is(err, fs.ErrNotExist) {
			continue // deleted, but not yet in the index
		}
		if err != nil {
			return nil, err
		}
		for kind, passages := range extract(file, source) {
			total := newCount()
			for _, passage := range passages {
				total.add(countIn(kind, passage))
			}
			measured[kind][file] = total
		}
	}
	return measured, nil
}
