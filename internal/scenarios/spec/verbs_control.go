package spec

// Repeat runs steps several times.
type Repeat struct {
	Times int    `yaml:"times" required:"true" doc:"how many times"`
	Steps []Step `yaml:"steps" required:"true" doc:"the steps; ${index} counts from 0"`
}

// ForEach runs steps once for each row of a table.
type ForEach struct {
	In    []Value `yaml:"in" required:"true" doc:"the rows: any values"`
	As    string  `yaml:"as" doc:"the name of the row in ${...}; row by default"`
	Steps []Step  `yaml:"steps" doc:"the steps"`
}

// Exec runs a program on this machine.
type Exec struct {
	Command []Text          `yaml:"command" required:"true" doc:"the program and its arguments"`
	Env     map[string]Text `yaml:"env" doc:"added to the environment"`
	Code    int             `yaml:"code" doc:"the exit code that it must have; 0 by default"`
	Stdout  *Pattern        `yaml:"stdout" doc:"what it must print"`
}
