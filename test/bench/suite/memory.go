package suite

import (
	"context"
	"fmt"

	"github.com/cosi-emu/cosi-emu/test/bench/figure"
)

// barMemory is how many megabytes, of a million bytes, the emulator's own
// process may take. The control plane's processes do not count.
const barMemory = 150

const megabyte = 1e6

// residentMemory returns how much of the machine's memory a process takes now,
// in bytes.
func residentMemory(ctx context.Context, pid int) (int, error) {
	table, err := processes(ctx)
	if err != nil {
		return 0, err
	}
	return table.memory(pid)
}

// residentMemoryOfAll is residentMemory with the descendants of the process. Pages that
// they share count for each.
func residentMemoryOfAll(ctx context.Context, pid int) (int, error) {
	table, err := processes(ctx)
	if err != nil {
		return 0, err
	}
	return table.memoryOfAll(pid)
}

// memoryFigure takes the larger of the values with all objects in place.
func memoryFigure(claims, empty, full, later int) figure.Figure {
	return figure.New(fmt.Sprintf("resident memory, %d claims with accesses", claims),
		float64(max(full, later))/megabyte, figure.UnitMegabytes, barMemory,
		fmt.Sprintf("%.0f MB after the start, %.0f MB when all are ready, %.0f MB after the silence",
			float64(empty)/megabyte, float64(full)/megabyte, float64(later)/megabyte),
		"no memory was returned to the system on request")
}
