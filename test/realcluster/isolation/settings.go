//go:build linux

package isolation

import (
	"errors"
	"os"
)

// kernelSettings are settings of the whole machine that kubelet changes at its start.
var kernelSettings = []string{
	"/proc/sys/vm/overcommit_memory", "/proc/sys/vm/panic_on_oom", "/proc/sys/kernel/panic", "/proc/sys/kernel/panic_on_oops",
	"/proc/sys/kernel/keys/root_maxkeys", "/proc/sys/kernel/keys/root_maxbytes",
}

// saveKernelSettings returns a function that restores the settings.
func saveKernelSettings() (restore func() error, err error) {
	saved := map[string][]byte{}
	for _, file := range kernelSettings {
		if saved[file], err = os.ReadFile(file); err != nil {
			return nil, err
		}
	}
	return func() error {
		var errs []error
		for file, value := range saved {
			errs = append(errs, os.WriteFile(file, value, 0o600))
		}
		return errors.Join(errs...)
	}, nil
}
