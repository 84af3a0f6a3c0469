package main

import (
	"errors"
	"os"
	"slices"
	"strings"
)

// command is a command that a person types.
type command struct {
	text string
	// want is a part of its output, in which gap is any text.
	want string
	// most is the largest number of lines that it prints; 0 is any number.
	most int
	// fails is set if the command has to fail.
	fails bool
}

// gap separates the parts of an output.
const gap = "..."

// person is a newcomer.
type person struct {
	name     string
	commands func(*shell) ([]command, error)
}

// people are the newcomers. The first follows the README to the letter.
var people = slices.Concat(successes, stumbles)

// successes are the sessions of newcomers who make no mistake.
var successes = []person{
	{name: "README", commands: readme},
	{name: "application developer", commands: typed(
		command{text: "cosi-emu example > bucket.yaml"},
		command{text: "cosi-emu up -d", want: "COSI is up"},
		command{text: `eval "$(cosi-emu env)"`},
		command{text: "kubectl apply -f bucket.yaml"},
		command{text: "kubectl -n demo wait --for=condition=Provisioned bucketclaim/photos bucketaccess/photos-rw"},
		command{text: `eval "$(cosi-emu env --access demo/photos-rw)"`},
		command{text: "echo hello > hello.txt"},
		command{text: `aws --endpoint-url "$AWS_ENDPOINT_URL" s3 cp hello.txt "s3://$BUCKET_NAME/"`},
		command{text: `aws --endpoint-url "$AWS_ENDPOINT_URL" s3 ls "s3://$BUCKET_NAME/"`, want: "hello.txt"},
		command{text: "cosi-emu status", want: "sidecar"},
		command{text: "cosi-emu logs sidecar --seam rpc", want: "DriverCreateBucket"},
		command{text: "cosi-emu ui", want: "http://127.0.0.1:"},
		command{text: "cosi-emu snapshot save photos.snapshot", want: "photos.snapshot"},
		command{text: "cosi-emu down", want: "is stopped"},
		command{text: "cosi-emu up -d --from photos.snapshot", want: "COSI is up"},
		command{text: `eval "$(cosi-emu env --access demo/photos-rw)"`},
		command{text: `aws --endpoint-url "$AWS_ENDPOINT_URL" s3 ls "s3://$BUCKET_NAME/"`, want: "hello.txt"},
		command{text: "cosi-emu down", want: "is stopped"},
		command{text: "cosi-emu exec --apply bucket.yaml --access demo/photos-rw -- cosi-emu version", want: "cosi-emu v"},
	)},
	{name: "test author", commands: typed(
		command{text: "cosi-emu init scenario photos.yaml", want: "is written"},
		command{text: "cosi-emu lint photos.yaml", want: "no problems"},
		command{text: "cosi-emu run photos.yaml --report html=report.html", want: "1 passed"},
		command{text: "cosi-emu run --suite --scenario crash-while-provisioning", want: "1 passed"},
		command{text: "cosi-emu run --suite --filter area=recipes", want: "passed"},
	)},
	{name: "driver author", commands: typed(
		command{text: "cosi-emu init driver-test cosi_test.go", want: "is written"},
		command{text: "cosi-emu init ci workflow.yaml", want: "is written"},
		command{
			text: "cosi-emu conformance --report results --driver-cmd '" + ownDriver + "'", most: 20,
			want: "conformant...The calls of each check: results/report.html",
		},
		command{text: "cosi-emu run --suite --scenario claim-first --driver-cmd '" + ownDriver + "'", want: "1 passed"},
	)},
}

// ownDriver is the driver of the person who has written one: there is one in the archive.
// The shell knows a free port. The driver keeps it when it is started again.
const ownDriver = "cosi-emu driver --endpoint=$(COSI_ENDPOINT) --data-dir=$(STATE_DIR) --s3-bind-address=127.0.0.1:" + portName

func typed(commands ...command) func(*shell) ([]command, error) {
	return func(*shell) ([]command, error) { return commands, nil }
}

// readme returns the commands of the README in the archive.
func readme(s *shell) ([]command, error) {
	text, err := os.ReadFile(s.beside("README.md"))
	if err != nil {
		return nil, err
	}
	var commands []command
	inside := false
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		typed, isCommand := strings.CutPrefix(line, "$ ")
		switch {
		case strings.HasPrefix(line, "```"):
			inside = line == "```console"
		case inside && isCommand:
			commands = append(commands, command{text: typed})
		case inside && strings.HasPrefix(line, "An error occurred"):
			commands[len(commands)-1].fails = true
		}
	}
	if len(commands) == 0 {
		return nil, errors.New("the README has no session")
	}
	return commands, nil
}
