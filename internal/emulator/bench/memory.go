package bench

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/emulator/bench/figure"
)

// barMemory is how many megabytes, of a million bytes, the emulator's own
// process may take. The control plane's processes do not count.
const barMemory = 150

// residentMemory returns how much of the machine's memory a process takes now,
// in bytes.
func residentMemory(ctx context.Context, pid int) (int, error) {
	if runtime.GOOS == "linux" {
		return residentPages(pid)
	}
	out, err := exec.CommandContext(ctx, "ps", "-o", "rss=", "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		return 0, fmt.Errorf("ask ps for the memory of process %d: %w", pid, err)
	}
	kilobytes, err := strconv.Atoi(strings.TrimSpace(string(out)))
	return kilobytes << 10, err
}

func residentPages(pid int) (int, error) {
	path := fmt.Sprintf("/proc/%d/statm", pid)
	data, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	fields := bytes.Fields(data)
	if len(fields) < 2 {
		return 0, fmt.Errorf("%s: there is no second number in %q", path, data)
	}
	pages, err := strconv.Atoi(string(fields[1]))
	return pages * os.Getpagesize(), err
}

// memoryFigure takes the larger of the values with all objects in place.
func memoryFigure(claims, empty, full, later int) figure.Figure {
	const megabyte = 1e6
	return figure.New(fmt.Sprintf("resident memory, %d claims with accesses", claims),
		float64(max(full, later))/megabyte, figure.UnitMegabytes, barMemory,
		fmt.Sprintf("%.0f MB after the start, %.0f MB when all are ready, %.0f MB after the silence",
			float64(empty)/megabyte, float64(full)/megabyte, float64(later)/megabyte),
		"no memory was returned to the system on request")
}
