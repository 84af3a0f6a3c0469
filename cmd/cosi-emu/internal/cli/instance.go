package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/instance"
)

// Running returns the description of an emulator, or an error that explains how to start it, and
// names the running ones.
func Running(name string) (instance.Info, error) {
	info, err := instance.Get(name)
	if !errors.Is(err, instance.ErrNotRunning) {
		return info, err
	}
	others, listErr := instance.List()
	if listErr != nil || len(others) == 0 {
		return info, fmt.Errorf("%w; start it with '%s'", err, instance.Command("up", name))
	}
	names := make([]string, len(others))
	for i, other := range others {
		names[i] = other.Name
	}
	if len(names) == 1 {
		return info, fmt.Errorf("%w; start it with '%s', or add --name %s for the running one", err, instance.Command("up", name), names[0])
	}
	return info, fmt.Errorf("%w; start it with '%s', or add --name for a running one: %s",
		err, instance.Command("up", name), strings.Join(names, ", "))
}

// Ready is Running for commands that require a started emulator.
func Ready(name string) (instance.Info, error) {
	info, err := Running(name)
	if err == nil && !info.Ready {
		err = fmt.Errorf("emulator %q is still starting; try again when '%s' reports that it is up",
			name, instance.Command("status", name))
	}
	return info, err
}
