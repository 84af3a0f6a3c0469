package docs_test

import (
	"testing"

	"github.com/cosi-emu/cosi-emu/hack/chart"
	"github.com/cosi-emu/cosi-emu/hack/monitoring"
)

// TestMonitoringUpToDate checks the alert rules and the dashboard, their copies in the chart, and the table of alerts.
func TestMonitoringUpToDate(t *testing.T) { checkPages(t, monitoring.Files) }

// TestChartUpToDate checks the copies of definitions and rights in deploy/chart, and the table of its values.
func TestChartUpToDate(t *testing.T) { checkPages(t, chart.Files) }
