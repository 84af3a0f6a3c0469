package bridge_test

import (
	"fmt"
	"os"

	"google.golang.org/grpc"

	"github.com/cosi-emu/cosi-emu/bridge"
)

func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir) //nolint:errcheck // the directory is temporary
	ids, err := bridge.OpenDirectory(dir)
	if err != nil {
		panic(err)
	}
	defer ids.Close() //nolint:errcheck // nothing is written any more
	b, err := bridge.New(bridge.Options{Driver: "unix:///tmp/old.sock", Store: ids})
	if err != nil {
		panic(err)
	}
	defer b.Close() //nolint:errcheck // there is nothing to lose
	server := grpc.NewServer()
	b.Register(server)
	fmt.Println(len(server.GetServiceInfo()))
	// Output: 2
}
