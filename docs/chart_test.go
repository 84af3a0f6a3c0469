package docs_test

import (
	"testing"

	"github.com/cosi-emu/cosi-emu/hack/chart"
)

// TestChartUpToDate checks the copies of definitions and rights in deploy/chart, and the table of its values.
func TestChartUpToDate(t *testing.T) { checkPages(t, chart.Files) }
