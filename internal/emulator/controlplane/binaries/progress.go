package binaries

import "time"

// Phase is a kind of thing that Find does for longer than a moment.
type Phase string

// The phases.
const (
	// Waiting means that another process is getting the programs.
	Waiting Phase = "waiting"
	// Downloading means that a file is being fetched.
	Downloading Phase = "downloading"
	// Building means that the go command is at work.
	Building Phase = "building"
	// Note is not a phase but a message about a choice that Find made, for
	// instance that it builds because it cannot download.
	Note Phase = "note"
)

// Update tells what Find does at the moment.
type Update struct {
	Phase Phase
	// Item is the file or program that the phase is about.
	Item string
	// N and Total count the items of the phase: item N of Total, from 1. They
	// are 0 where there is nothing to count.
	N, Total int
	// Message is one line for the user, without the item and the time.
	Message string
	// Elapsed is the time since the phase began for this item.
	Elapsed time.Duration
	// LogFile is where the output of the build goes. It is empty in the other
	// phases.
	LogFile string
}
