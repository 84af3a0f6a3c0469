package docpage_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/cosi-emu/cosi-emu/internal/docpage"
)

func TestReplaceIn(t *testing.T) {
	const noLines = `the page has nothing to replace: it must have the lines "<!-- begin -->" and "<!-- end -->"`
	for _, test := range []struct{ name, page, want, wantErr string }{
		{name: "between the lines", page: "a\n<!-- begin -->\nold\n<!-- end -->\nb\n", want: "a\n<!-- begin -->\nnew\n<!-- end -->\nb\n"},
		{name: "nothing there", page: "<!-- begin -->\n<!-- end -->\n", want: "<!-- begin -->\nnew\n<!-- end -->\n"},
		{name: "no begin", page: "a\n<!-- end -->\n", wantErr: noLines},
		{name: "no end", page: "<!-- begin -->\na\n", wantErr: noLines},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "page.md")
			if err := os.WriteFile(path, []byte(test.page), 0o600); err != nil {
				t.Fatal(err)
			}
			err := docpage.ReplaceIn(path, "<!-- begin -->", "<!-- end -->", "new\n")
			if test.wantErr != "" {
				if err == nil || err.Error() != path+": "+test.wantErr {
					t.Fatalf("the error is %v, want %s", err, test.wantErr)
				}
				test.want = test.page // it stays
			} else if err != nil {
				t.Fatal(err)
			}
			if got, err := os.ReadFile(path); err != nil || string(got) != test.want {
				t.Errorf("the page is %q, %v, and should be %q", got, err, test.want)
			}
		})
	}
}
