package binaries

import (
	"bytes"
	"context"
	"crypto/sha512"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
)

var errChecksum = errors.New("checksum mismatch")

// downloadControllerManager gets kube-controller-manager of a version from the
// Kubernetes release.
func (c *cache) downloadControllerManager(ctx context.Context, version, bin string) error {
	if err := hasServerPrograms(c.opts.platform); err != nil {
		return err
	}
	address := fmt.Sprintf("%s/%s/bin/%s/%s/%s", strings.TrimSuffix(c.opts.ReleaseURL, "/"),
		version, c.opts.platform.OS, c.opts.platform.Arch, ControllerManager)
	sum := filepath.Join(filepath.Dir(bin), ControllerManager+".sha512")
	if err := c.fetch(ctx, sum, get(address+".sha512")); err != nil {
		return err
	}
	want, err := os.ReadFile(sum)
	if err != nil {
		return err
	}
	path := filepath.Join(bin, ControllerManager)
	err = c.fetch(ctx, path, verified(get(address), want))
	if err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}

// get returns a function that writes the content of an address.
func get(address string) func(context.Context, io.Writer) error {
	return func(ctx context.Context, out io.Writer) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
		if err != nil {
			return err
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		defer resp.Body.Close() //nolint:errcheck // only read from
		if resp.StatusCode != http.StatusOK {
			return fmt.Errorf("get %s: %s", address, resp.Status)
		}
		if _, err := io.Copy(out, resp.Body); err != nil {
			return fmt.Errorf("get %s: %w", address, err)
		}
		return nil
	}
}

// verified lets fetch write, and fails unless the SHA-512 of the content is the first word of want.
func verified(fetch func(context.Context, io.Writer) error, want []byte) func(context.Context, io.Writer) error {
	return func(ctx context.Context, out io.Writer) error {
		fields := bytes.Fields(want)
		if len(fields) == 0 {
			return fmt.Errorf("%w: the published checksum is empty", errChecksum)
		}
		hash := sha512.New()
		if err := fetch(ctx, io.MultiWriter(out, hash)); err != nil {
			return err
		}
		if got := hex.EncodeToString(hash.Sum(nil)); got != string(fields[0]) {
			return fmt.Errorf("%w: got %s, published %s", errChecksum, got, fields[0])
		}
		return nil
	}
}
