package catalogue

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"time"
)

// installTimeout bounds the download and installation of one package.
const installTimeout = 3 * time.Minute

// install installs a client from Debian's packages.
func (s source) install(ctx context.Context) error {
	apt, err := exec.LookPath("apt-get")
	switch {
	case s.debian == "":
		return s.notFound()
	case err != nil:
		return fmt.Errorf("%w; cannot install it: there is no apt-get", s.notFound())
	case os.Geteuid() != 0:
		return fmt.Errorf("%w; cannot install it: not root", s.notFound())
	}
	ctx, cancel := context.WithTimeout(ctx, installTimeout)
	defer cancel()
	for _, args := range [][]string{{"update"}, {"install", "--yes", "--no-install-recommends", s.debian}} {
		cmd := exec.CommandContext(ctx, apt, append([]string{"--quiet"}, args...)...)
		cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("install %s: %w\n%s", s.debian, err, out)
		}
	}
	return nil
}
