package controlplane

import "context"

// EndOrphans ends the components of a control plane in dir whose process was
// killed together with its watchdog. It is no error if there are none, or no
// such directory. Start does this by itself for its own directory.
func EndOrphans(ctx context.Context, dir string) error { return endOrphans(ctx, dir) }
