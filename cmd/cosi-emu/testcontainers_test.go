package main_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// TestTestcontainers runs the command of docs/testcontainers.md, which is the same in each recipe, and waits for the line
// that the recipes wait for.
func TestTestcontainers(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "testcontainers.md"))
	if err != nil {
		t.Fatal(err)
	}
	command := strings.Fields(firstMatch(t, page, "(?m)^(up --only .*)$"))
	const line, key = "Object storage is up", "test:testtest"
	for _, language := range []string{"go", "java", "js", "python"} {
		recipe := firstMatch(t, page, "(?s)```"+language+"\n(.*?)```")
		var args []string
		for _, word := range regexp.MustCompile(`"([^"]*)"`).FindAllStringSubmatch(firstMatch(t, []byte(recipe), `("up", .*"photos")`), -1) {
			args = append(args, word[1])
		}
		if !slices.Equal(args, command) {
			t.Errorf("the recipe in %s runs %q, and not %q", language, args, command)
		}
		for _, want := range []string{line, "COSI_EMU_S3_ROOT_KEY", key, "eu-central-1"} {
			if !strings.Contains(recipe, want) {
				t.Errorf("the recipe in %s does not have %q", language, want)
			}
		}
	}

	h := newHome(t)
	h.env = append(h.env, "COSI_EMU_S3_ROOT_KEY="+key)
	command[slices.Index(command, "9000")] = "0" // another program may use the port
	ctx, cancel := context.WithTimeout(t.Context(), harness.Timeout)
	defer cancel()
	run := h.command(ctx, command...)
	out, err := os.Create(filepath.Join(h.dir, "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close() //nolint:errcheck // the test has read it
	run.Stdout = out
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	harness.Until(t, "the program prints its line", func(context.Context) (bool, error) {
		printed, err := os.ReadFile(out.Name())
		return strings.Contains(string(printed), line), err
	})
	photos := h.variables("--bucket", "photos")
	if photos[v1alpha2.SecretKeyS3Region] != "eu-central-1" {
		t.Errorf("the region is %s", photos[v1alpha2.SecretKeyS3Region])
	}
	openBucket(photos).put(t, "hello.txt", "hello")
	h.must("down")
	if err := run.Wait(); err != nil {
		t.Errorf("the program ends with %v", err)
	}
}

func firstMatch(t *testing.T, text []byte, pattern string) string {
	t.Helper()
	found := regexp.MustCompile(pattern).FindSubmatch(text)
	if found == nil {
		t.Fatalf("there is no %s", pattern)
	}
	return string(found[1])
}
