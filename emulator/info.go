package emulator

import (
	"os"
	"slices"

	"github.com/cosi-emu/cosi-emu/emulator/description"
	"github.com/cosi-emu/cosi-emu/internal/controlplane"
)

// Info describes a running emulator: its addresses, its files and the state of its
// components. It contains no secrets. `cosi-emu status -o json` prints it.
type Info = description.Info

// ComponentInfo describes a component, or a process of the control plane.
type ComponentInfo = description.ComponentInfo

// State is the state of a component in its life cycle.
type State = description.State

// The states of a component.
const (
	StateStopped = description.StateStopped
	StateRunning = description.StateRunning
	StateCrashed = description.StateCrashed
	StateFailed  = description.StateFailed
)

// Endpoint is an address or file of an Info.
type Endpoint = description.Endpoint

// Info returns the current description of the emulator.
func (e *Emulator) Info() Info {
	e.mu.Lock()
	info := e.info
	info.Warnings = slices.Clone(info.Warnings)
	e.mu.Unlock()
	if e.plane != nil {
		info.ControlPlane = ControlPlaneEnvtest
		if e.inProcessConfig(controlplane.AdminUser, controlplane.AdminGroup) != nil {
			info.ControlPlane = ControlPlaneEmbedded
		}
		for _, name := range e.plane.ProcessNames() {
			c := ComponentInfo{Name: name, State: StateRunning, PID: e.plane.PID(name), Log: e.plane.LogFile(name)}
			switch c.PID {
			case 0:
				c.State = StateStopped
			case os.Getpid():
				c.PID = 0 // it is a part of this program, as the components of COSI are
			}
			info.Components = append(info.Components, c)
		}
	}
	drivers := e.servedBy()
	for _, c := range e.Components() {
		state, incarnation := c.State()
		info.Components = append(info.Components, ComponentInfo{
			Name: c.Name(), State: state, Incarnation: incarnation, Driver: drivers[c.Name()],
		})
	}
	return info
}
