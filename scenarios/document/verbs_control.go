package document

// Repeat runs steps several times.
type Repeat struct {
	Times int    `yaml:"times" doc:"how many times"`
	Steps []Step `yaml:"steps" doc:"the steps; ${index} counts from 0"`
}

// ForEach runs steps once for each row of a table.
type ForEach struct {
	In    []Value `yaml:"in" doc:"the rows: any values"`
	As    string  `yaml:"as" doc:"the name of the row in ${...}; row by default"`
	Steps []Step  `yaml:"steps" doc:"the steps"`
}

// Exec runs a program on this machine.
type Exec struct {
	Command []Text          `yaml:"command" doc:"the program and its arguments"`
	Env     map[string]Text `yaml:"env" doc:"added to the environment"`
	Code    int             `yaml:"code" doc:"the exit code that it must have; 0 by default"`
	Stdout  *Pattern        `yaml:"stdout" doc:"what it must print"`
}

// Fault makes something go wrong at a seam.
type Fault struct {
	Name      string `yaml:"name" doc:"for heal and reports"`
	Seam      string `yaml:"seam" doc:"api, rpc or store"`
	Component Text   `yaml:"component" doc:"whose operations; any by default"`
	Operation Text   `yaml:"operation" doc:"which; * stands for any characters"`
	Subject   Text   `yaml:"subject" doc:"on what; * stands for any characters"`
	Nth       int    `yaml:"nth" doc:"only the n-th that matches, from now on"`
	Every     int    `yaml:"every" doc:"every n-th that matches"`
	Times     int    `yaml:"times" doc:"how many times at most"`

	Fail  string   `yaml:"fail" doc:"the code that comes back instead of the operation"`
	Lose  string   `yaml:"loseReply" doc:"the code that comes back although the operation has happened"`
	Delay Duration `yaml:"delay" doc:"how long the operation is held up"`
	Hang  bool     `yaml:"hang" doc:"the operation never comes back"`
	Crash string   `yaml:"crash" doc:"before or after: the component dies at that moment"`
}
