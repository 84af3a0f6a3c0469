package peers

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
)

const (
	// Positions in /proc/PID/stat, after the name of the program.
	statUser   = 11
	statSystem = 12
	// clockTick is the unit of times there, on all platforms that Go supports.
	clockTick = 10 * time.Millisecond
)

// cpuOf returns the processor time that a process has used, and false where the system
// does not tell it.
func cpuOf(pid int) (time.Duration, bool) {
	if runtime.GOOS != "linux" {
		return 0, false
	}
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, false
	}
	fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
	if len(fields) <= statSystem {
		return 0, false
	}
	user, err := strconv.ParseInt(fields[statUser], 10, 64)
	if err != nil {
		return 0, false
	}
	system, err := strconv.ParseInt(fields[statSystem], 10, 64)
	return time.Duration(user+system) * clockTick, err == nil
}
