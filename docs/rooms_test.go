package docs_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/hack/rooms"
)

// TestRoomsUpToDate checks the table of the rooms.
func TestRoomsUpToDate(t *testing.T) { checkPages(t, rooms.Files) }

func readRooms(t *testing.T) []rooms.Room {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, ".golangci.yml"))
	if err != nil {
		t.Fatal(err)
	}
	all, err := rooms.Read(text)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestRoomOfEach: the linter has a rule for each folder of internal, so that a new one escapes none.
func TestRoomOfEach(t *testing.T) {
	var folders []string
	for _, room := range readRooms(t) {
		folders = append(folders, room.Folders...)
	}
	entries, err := os.ReadDir(filepath.Join(root, "internal"))
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if name := "internal/" + entry.Name(); entry.IsDir() && !slices.Contains(folders, name) {
			t.Errorf("no rule of depguard in .golangci.yml has files of %s: put the folder into a storey", name)
		}
	}
}

// TestStoreys: nothing of the lower storey reaches an emulator, or what stands on one, however indirectly.
func TestStoreys(t *testing.T) {
	const module = "github.com/cosi-emu/cosi-emu/"
	storeys := map[string][]string{}
	for _, room := range readRooms(t) {
		storeys[room.Name] = room.Folders
	}
	lower, upper := storeys["lower-storey"], slices.Concat(storeys["upper-storey"], []string{"cmd", "conformance", "internal/conformance"})
	if len(lower) == 0 || len(upper) < 5 {
		t.Fatalf("the storeys are %q and %q", lower, upper)
	}
	args := []string{"list", "-deps"}
	for _, folder := range lower {
		args = append(args, module+folder+"/...")
	}
	out, err := exec.CommandContext(t.Context(), "go", args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	for path := range strings.FieldsSeq(string(out)) {
		name, ours := strings.CutPrefix(path, module)
		above := func(folder string) bool { return name == folder || strings.HasPrefix(name, folder+"/") }
		if ours && (name == "emulator" || slices.ContainsFunc(upper, above)) {
			t.Errorf("the lower storey links %s", name)
		}
	}
}
