package outcome

import "github.com/cosi-emu/cosi-emu/internal/scenario/spec"

// Observer receives the progress of scenarios. Several goroutines call its methods at
// the same time.
type Observer interface {
	ScenarioStarted(s *spec.Scenario, namespace string)
	StepStarted(s *spec.Scenario, step *spec.Step)
	StepEnded(s *spec.Scenario, step StepResult)
	ScenarioEnded(r Result)
}

// Observers are called one after the other.
type Observers []Observer

// ScenarioStarted implements Observer.
func (o Observers) ScenarioStarted(s *spec.Scenario, namespace string) {
	for _, one := range o {
		one.ScenarioStarted(s, namespace)
	}
}

// StepStarted implements Observer.
func (o Observers) StepStarted(s *spec.Scenario, step *spec.Step) {
	for _, one := range o {
		one.StepStarted(s, step)
	}
}

// StepEnded implements Observer.
func (o Observers) StepEnded(s *spec.Scenario, step StepResult) {
	for _, one := range o {
		one.StepEnded(s, step)
	}
}

// ScenarioEnded implements Observer.
func (o Observers) ScenarioEnded(r Result) {
	for _, one := range o {
		one.ScenarioEnded(r)
	}
}

// NopObserver is an Observer that does nothing.
type NopObserver struct{}

// ScenarioStarted implements Observer.
func (NopObserver) ScenarioStarted(*spec.Scenario, string) {}

// StepStarted implements Observer.
func (NopObserver) StepStarted(*spec.Scenario, *spec.Step) {}

// StepEnded implements Observer.
func (NopObserver) StepEnded(*spec.Scenario, StepResult) {}

// ScenarioEnded implements Observer.
func (NopObserver) ScenarioEnded(Result) {}
