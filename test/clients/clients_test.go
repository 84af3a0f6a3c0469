package main

import (
	"path/filepath"
	"testing"
)

func TestMain(m *testing.M) {
	runLibrary()
	m.Run()
}

func test(t *testing.T, protocols, operations func(string) bool, clients ...*client) *table {
	t.Helper()
	r := run{
		programs: "../../bin/clients", clients: clients, wantScheme: exactly("http"),
		wantClient: func(name string) bool { return libraries[name].open != nil }, wantProtocol: protocols, wantOperation: operations,
	}
	got, err := r.do(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestSample uses the services with the libraries of Go; `make clients` has all operations.
func TestSample(t *testing.T) {
	got := test(t, exactly("S3,GCS,Azure"), exactly("Put,Get,Odd keys"))
	if len(got.clients) < len(libraries) {
		t.Errorf("only %d clients were found", len(got.clients))
	}
	if got.failures > 0 {
		t.Errorf("failures:\n%s", got.markdown())
	}
}

// TestChecks has every operation detect that a client does nothing, whether it reports success or failure.
func TestChecks(t *testing.T) {
	for _, program := range []string{"/bin/true", "/bin/false"} {
		t.Run(filepath.Base(program), func(t *testing.T) {
			var clients []*client
			for _, p := range everywhere {
				clients = append(clients, &client{name: "nothing", protocol: p, program: program})
			}
			got := test(t, words(""), func(title string) bool { return title != "List pages" }, clients...)
			for cell, results := range got.results {
				for _, r := range results {
					if r.mark() != fails {
						t.Errorf("%s, %s: %s %v", cell.client.protocol, cell.title, r.mark(), r.err)
					}
				}
			}
			if len(got.results) < len(operations) {
				t.Errorf("only %d results", len(got.results))
			}
		})
	}
}
