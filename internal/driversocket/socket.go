// Package driversocket has the UNIX socket on which a COSI driver listens.
package driversocket

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

const (
	unixScheme   = "unix:"
	socketSuffix = ".sock"
	// maxSocketPath is sizeof(sockaddr_un.sun_path) less the final NUL.
	maxSocketPath = len(syscall.RawSockaddrUnix{}.Path) - 1
	probeTimeout  = time.Second
)

// Listen listens on a UNIX socket given as unix:///path/to.sock, the form of COSI_ENDPOINT. It
// creates a missing directory, for its owner only. It replaces a socket that a driver has left
// behind; a socket in use, and a file of another kind, are errors. Closing the listener removes the
// socket.
func Listen(endpoint string) (net.Listener, error) {
	path, err := socketPath(endpoint)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("cannot create the directory of socket %s: %w", path, err)
	}
	if err := removeStale(path); err != nil {
		return nil, err
	}
	l, err := net.Listen("unix", path) //nolint:noctx // binding does not wait
	if err != nil {
		return nil, fmt.Errorf("cannot listen on socket %s: %w", path, err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("cannot protect socket %s: %w", path, err), l.Close())
	}
	return l, nil
}

// ValidateName returns an error if a driver must not listen there. The name of the socket
// ends in .sock, as the specification of COSI requires.
func ValidateName(endpoint string) error {
	path, err := socketPath(endpoint)
	if err == nil && filepath.Ext(path) != socketSuffix {
		return fmt.Errorf("driver endpoint %q is not valid: COSI requires that it ends in %s, like unix:///run/cosi/cosi.sock",
			endpoint, socketSuffix)
	}
	return err
}

// Validate returns an error if Listen can never listen there.
func Validate(endpoint string) error {
	_, err := socketPath(endpoint)
	return err
}

func socketPath(endpoint string) (string, error) {
	path, ok := strings.CutPrefix(endpoint, unixScheme)
	path = strings.TrimPrefix(path, "//")
	if !ok || !filepath.IsAbs(path) {
		return "", fmt.Errorf("driver endpoint %q is not valid: it must be the absolute path of a UNIX socket, "+
			"like unix:///run/cosi/cosi.sock", endpoint)
	}
	path = filepath.Clean(path)
	if len(path) > maxSocketPath {
		return "", fmt.Errorf("the path of socket %s has %d bytes, but this system allows %d: use a shorter directory",
			path, len(path), maxSocketPath)
	}
	return path, nil
}

// removeStale removes a socket on which no process listens.
func removeStale(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("cannot look at socket %s: %w", path, err)
	case info.Mode().Type() != fs.ModeSocket:
		return fmt.Errorf("%s exists and is not a socket: move it away, or use another path", path)
	}
	ctx, cancel := context.WithTimeout(context.Background(), probeTimeout)
	defer cancel()
	conn, err := new(net.Dialer).DialContext(ctx, "unix", path)
	switch {
	case err == nil:
		return errors.Join(fmt.Errorf("socket %s is in use by a running driver: stop that, or use another path", path), conn.Close())
	case !errors.Is(err, syscall.ECONNREFUSED):
		return fmt.Errorf("cannot tell whether socket %s is in use: %w", path, err)
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("cannot remove the stale socket %s: %w", path, err)
	}
	return nil
}
