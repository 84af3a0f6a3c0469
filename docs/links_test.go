package docs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.+)$`)
)

// TestLinks verifies that the targets of links in this repository exist, including sections.
func TestLinks(t *testing.T) {
	pages := pagesOf(t)
	if len(pages) < 20 {
		t.Fatalf("%d pages", len(pages))
	}
	for _, page := range pages {
		for _, target := range linksOf(t, page) {
			path, section, _ := strings.Cut(target, "#")
			file := page
			if path != "" {
				file = filepath.Join(filepath.Dir(page), filepath.FromSlash(path))
			}
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%s links to %s, which does not exist", page, target)
				continue
			}
			if section != "" && !sectionsOf(t, file)[section] {
				t.Errorf("%s links to %s, and there is no such section", page, target)
			}
		}
	}
}

func pagesOf(t *testing.T) (pages []string) {
	t.Helper()
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && (entry.Name() == ".git" || entry.Name() == "bin") {
			return fs.SkipDir
		}
		if filepath.Ext(path) == ".md" {
			pages = append(pages, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return pages
}

func linksOf(t *testing.T, page string) (links []string) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, found := range link.FindAllSubmatch(text, -1) {
		if target := string(found[1]); !strings.Contains(target, "://") {
			links = append(links, target)
		}
	}
	return links
}

// sectionsOf returns the anchors of a page's headings.
func sectionsOf(t *testing.T, page string) map[string]bool {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	anchors := map[string]bool{}
	for _, found := range heading.FindAllSubmatch(text, -1) {
		kept := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
				return r
			default:
				return -1
			}
		}, strings.ToLower(string(found[1])))
		anchors[kept] = true
	}
	return anchors
}
