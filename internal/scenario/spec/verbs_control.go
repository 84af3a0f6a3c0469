package spec

// Repeat runs steps several times.
type Repeat struct {
	Times int    `yaml:"times" required:"true" doc:"number of iterations"`
	Steps []Step `yaml:"steps" required:"true" doc:"the steps; ${index} is the iteration, from 0"`
}

// ForEach runs steps once for each row of a table.
type ForEach struct {
	In    []Value `yaml:"in" required:"true" doc:"the rows, of any type"`
	As    string  `yaml:"as" doc:"name of the row in ${...}; default row"`
	Steps []Step  `yaml:"steps" doc:"the steps"`
}

// Exec runs a program on this machine.
type Exec struct {
	Command []Text          `yaml:"command" required:"true" doc:"the program and its arguments"`
	Env     map[string]Text `yaml:"env" doc:"environment variables to add"`
	Code    int             `yaml:"code" doc:"expected exit code; default 0"`
	Stdout  *Pattern        `yaml:"stdout" doc:"expected standard output"`
}
