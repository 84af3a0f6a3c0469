package timeline

import (
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/report"
)

// anchors returns an address within the page for each entry, by its name, which stays the same when
// entries are added. An entry has none if an earlier one has the same.
func anchors(all []report.Scenario) []string {
	found, taken := make([]string, len(all)), map[string]bool{}
	for i, s := range all {
		if anchor := anchorOf(s.Name); !taken[anchor] {
			found[i], taken[anchor] = anchor, true
		}
	}
	return found
}

// anchorOf replaces letters that an address would have to escape by a hyphen.
func anchorOf(name string) string {
	plain := func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '_', r == '-':
			return r
		default:
			return '-'
		}
	}
	return "name=" + strings.Map(plain, name)
}
