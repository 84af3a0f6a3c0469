package binaries

import "time"

// Phase is a long-running step of Find.
type Phase string

const (
	// Waiting means that another process is getting the programs.
	Waiting Phase = "waiting"
	// Downloading means that a file is being fetched.
	Downloading Phase = "downloading"
	// Building means that the go command compiles the programs.
	Building Phase = "building"
	// Note is not a phase but a message about a decision of Find, for example to build because a
	// download failed.
	Note Phase = "note"
)

// Update is the progress of Find.
type Update struct {
	Phase Phase
	Item  string
	// N and Total count the items of the phase from 1: item N of Total. They are 0 if the
	// phase does not count.
	N, Total int
	// Message is one line for the user, without the item and the time.
	Message string
	// Done and Parts count the completed parts of the item, such as packages of a program. Parts is
	// an upper limit, because cached packages are not compiled again; 0 means unknown.
	Done, Parts int
	// Left is an estimate of the remaining time for the item; 0 if unknown.
	Left time.Duration
	// Elapsed is the duration of the phase for this item.
	Elapsed time.Duration
	// LogFile is the file with the output of the build. It is empty in other phases.
	LogFile string
}
