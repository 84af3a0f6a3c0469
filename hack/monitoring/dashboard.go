package monitoring

import (
	"fmt"

	"github.com/cosi-emu/cosi-emu/internal/reconcile/kepmetrics"
)

// dashboard has the fields of a dashboard of Grafana that it needs to import it.
type dashboard struct {
	UID           string     `json:"uid"`
	Title         string     `json:"title"`
	Tags          []string   `json:"tags"`
	SchemaVersion int        `json:"schemaVersion"`
	Refresh       string     `json:"refresh"`
	Time          timeRange  `json:"time"`
	Templating    templating `json:"templating"`
	Panels        []panel    `json:"panels"`
}

type timeRange struct {
	From string `json:"from"`
	To   string `json:"to"`
}

type templating struct {
	List []variable `json:"list"`
}

type variable struct {
	Name       string      `json:"name"`
	Label      string      `json:"label"`
	Type       string      `json:"type"`
	Query      string      `json:"query"`
	Datasource *datasource `json:"datasource,omitempty"`
	Refresh    int         `json:"refresh,omitempty"`
	IncludeAll bool        `json:"includeAll,omitempty"`
	Multi      bool        `json:"multi,omitempty"`
}

type datasource struct {
	Type string `json:"type"`
	UID  string `json:"uid"`
}

type panel struct {
	ID          int          `json:"id"`
	Type        string       `json:"type"`
	Title       string       `json:"title"`
	Description string       `json:"description"`
	Datasource  datasource   `json:"datasource"`
	GridPos     gridPosition `json:"gridPos"`
	FieldConfig fieldConfig  `json:"fieldConfig"`
	Targets     []target     `json:"targets"`
}

type gridPosition struct {
	X int `json:"x"`
	Y int `json:"y"`
	W int `json:"w"`
	H int `json:"h"`
}

type fieldConfig struct {
	Defaults fieldDefaults `json:"defaults"`
}

type fieldDefaults struct {
	Unit string `json:"unit"`
}

type target struct {
	RefID        string `json:"refId"`
	Expr         string `json:"expr"`
	LegendFormat string `json:"legendFormat"`
}

// Grafana has 24 columns.
const (
	panelWidth  = 12
	panelHeight = 8
)

var prometheus = datasource{Type: "prometheus", UID: "$datasource"}

func newDashboard() dashboard {
	d := dashboard{
		UID: "cosi", Title: "COSI", Tags: []string{"cosi"}, SchemaVersion: 39, Refresh: "1m", Time: timeRange{"now-6h", "now"},
		Templating: templating{List: []variable{
			{Name: "datasource", Label: "Data source", Type: "datasource", Query: "prometheus"},
			{
				Name: "driver", Label: "Driver", Type: "query", Datasource: &prometheus, Refresh: 2, IncludeAll: true, Multi: true,
				Query: fmt.Sprintf("label_values(%s_count, %s)", kepmetrics.CallSeconds, kepmetrics.LabelDriver),
			},
		}},
	}
	for i, p := range panels() {
		p.ID, p.Type, p.Datasource = i+1, "timeseries", prometheus
		p.GridPos = gridPosition{X: i % 2 * panelWidth, Y: i / 2 * panelHeight, W: panelWidth, H: panelHeight}
		d.Panels = append(d.Panels, p)
	}
	return d
}

func panels() []panel {
	const window = "$__rate_interval"
	selected := kepmetrics.LabelDriver + `=~"$driver"`
	legend := func(labels ...string) (format string) {
		for _, label := range labels {
			format += "{{" + label + "}} "
		}
		return format[:len(format)-1]
	}
	return []panel{
		newPanel("Operations", "Ended operations/s, by how they ended. Canceled means that the object was deleted before it was ready.", "ops",
			legend(kepmetrics.LabelKind, kepmetrics.LabelOperation, kepmetrics.LabelStatus),
			rate(kepmetrics.OperationCount, selected, window, kepmetrics.LabelKind, kepmetrics.LabelOperation, kepmetrics.LabelStatus)),
		newPanel("Late operations",
			"The part of the operations on claims and accesses that took too long: the service level objective is 1%.", "percentunit",
			legend(kepmetrics.LabelDriver, kepmetrics.LabelKind)+" Create", late(kepmetrics.Create, "1h")),
		newPanel("Waiting time of users",
			"99th percentile from the creation of an object until it is ready, or from its deletion until it is gone.", "s",
			legend(kepmetrics.LabelKind, kepmetrics.LabelOperation),
			quantile(kepmetrics.OperationSeconds, selected, window, kepmetrics.LabelKind, kepmetrics.LabelOperation)),
		newPanel("Duration of calls", "99th percentile of the calls to the driver.", "s", legend(kepmetrics.LabelDriver, kepmetrics.LabelMethod),
			quantile(kepmetrics.CallSeconds, selected, window, kepmetrics.LabelDriver, kepmetrics.LabelMethod)),
		newPanel("Calls", "Calls to the driver/s, by gRPC code.", "reqps", legend(kepmetrics.LabelMethod, kepmetrics.LabelCode),
			rate(kepmetrics.CallSeconds+"_count", selected, window, kepmetrics.LabelMethod, kepmetrics.LabelCode)),
		newPanel("Failed calls", "Calls to the driver/s that returned an error.", "reqps", legend(kepmetrics.LabelDriver, kepmetrics.LabelMethod),
			rate(kepmetrics.CallErrors, selected, window, kepmetrics.LabelDriver, kepmetrics.LabelMethod)),
		newPanel("Leaders", "1 while an instance is the leader.", "none", legend("name"),
			`max by (name) (leader_election_master_status{name=~"cosi-.+"})`),
	}
}

func newPanel(title, description, unit, legend, expression string) panel {
	return panel{
		Title: title, Description: description, FieldConfig: fieldConfig{fieldDefaults{unit}},
		Targets: []target{{RefID: "A", Expr: expression, LegendFormat: legend}},
	}
}

// quantile is the 99th percentile of a histogram by labels.
func quantile(metric, matchers, window string, by ...string) string {
	return fmt.Sprintf("histogram_quantile(0.99, %s)", rate(metric+"_bucket", matchers, window, append(by, "le")...))
}
