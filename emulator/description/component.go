package description

// ComponentInfo describes a component, or a process of the control plane.
type ComponentInfo struct {
	Name  string `json:"name"`
	State State  `json:"state"`
	// Incarnation counts the incarnations of a component from 1.
	Incarnation int `json:"incarnation,omitempty"`
	// Driver is the name of the driver that a sidecar serves, if the emulator has started both.
	Driver string `json:"driver,omitempty"`
	// PID is set for a running process of the control plane.
	PID int `json:"pid,omitempty"`
	// Log is the file with the output of a process. The logs of components are in the
	// journal.
	Log string `json:"log,omitempty"`
}

// State is the state of a component in its life cycle.
type State string

// The states of a component.
const (
	// StateStopped: not started yet, or stopped by Stop.
	StateStopped State = "Stopped"
	// StateRunning: started and ready.
	StateRunning State = "Running"
	// StateCrashed: killed by Crash or by a fault.
	StateCrashed State = "Crashed"
	// StateFailed: exited with an error, or failed to start.
	StateFailed State = "Failed"
)
