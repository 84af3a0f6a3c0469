package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/env"
)

// functionalTests is the program of minio-go's own tests. Each test creates a bucket, which no key of COSI may: they have the
// key of the store's administrator.
const functionalTests = "minio-functional"

// expectedFailures has the reasons why tests fail, by a part of the name or of the error.
var expectedFailures = []struct{ part, reason string }{
	{"Signature Version 2", "requires SigV2, which is rejected"},
	{"testMakeBucketRegions", "creates buckets in other regions than the store's"},
	{"testListObjects", "lists with the parameter `metadata`, which only MinIO has"},
	{"testListUnsorted", "lists with the parameter `metadata`, which only MinIO has"},
	{"testGetObjectAttributesErrorCases", "expects another error for a UUID, which is no ID of a version for S3"},
	{"testListMultipartUpload", "expects uploads without owner, and a page that begins with its marker, as only MinIO has them"},
	{"testPresignedPostPolicyWrongFile", "expects an error in the words of MinIO"},
	{"testGetObjectACLContext", "writes a public ACL, which grants replace"},
}

// functional runs minio-go's tests, and adds how they ended to a table. A test fails that is not among those expected to.
func (s *site) functional(ctx context.Context, dir string, t *table) error {
	variables, err := env.ForRootKey(s.emulator.Info())
	if err != nil {
		return err
	}
	e := s.environment(variables)
	cmd := exec.CommandContext(ctx, functionalTests)
	endWithGroup(cmd)
	cmd.Dir = dir // where it leaves files
	_, endpoint, _ := strings.Cut(e["AWS_ENDPOINT_URL"], "://")
	cmd.Env = append(os.Environ(), "SERVER_ENDPOINT="+endpoint, "ACCESS_KEY="+e["AWS_ACCESS_KEY_ID"], "SECRET_KEY="+e["AWS_SECRET_ACCESS_KEY"],
		fmt.Sprintf("ENABLE_HTTPS=%t", s.scheme == "https"), "SSL_CERT_FILE="+e[varCA], "MINT_MODE=full", "RUN_ON_FAIL=1")
	out, err := cmd.Output()
	ends := map[string]string{}
	for decoder := json.NewDecoder(bytes.NewReader(out)); decoder.More() && err == nil; {
		var line struct {
			Name    string `json:"name"`
			Status  string `json:"status"`
			Message string `json:"message"`
			Error   string `json:"error"`
		}
		err = decoder.Decode(&line)
		end := line.Status
		if end == "FAIL" {
			end = fmt.Sprintf("%s %s: %s %s", fails, line.Name, line.Message, line.Error)
			for _, expected := range expectedFailures {
				if strings.Contains(end, expected.part) {
					end = "fails: it " + expected.reason
				}
			}
		}
		ends[line.Name] = max(ends[line.Name], end) // PASS is above NA, and below every failure
	}
	said, counts := map[string]string{"PASS": "passes", "NA": "skips unsupported operations"}, map[string]int{}
	for _, end := range ends {
		counts[end]++
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, end := range slices.Sorted(maps.Keys(counts)) {
		t.functional += fmt.Sprintf("| %s | %s | %d |\n", s.scheme, cmp.Or(said[end], end), counts[end])
		if strings.HasPrefix(end, fails) {
			t.failures += counts[end]
		}
	}
	if len(ends) == 0 && err == nil {
		err = errors.New(functionalTests + " has run no test")
	}
	return err
}
