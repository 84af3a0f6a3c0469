// Command app is an application that stores objects in the bucket of a BucketAccess. It finds its
// Secret as variables, or as files in the directory of --files.
//
//	app pause                  do nothing until SIGTERM
//	app use [--files DIR]      store an object, read it and delete it
//	app serve [--files DIR]    do so for each HTTP request to port 8080
//	app keep [--files DIR]     store an object that stays
//	app check [--files DIR]    read that object
//	app empty [--files DIR]    delete all objects
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "app:", err)
		os.Exit(1) //nolint:gocritic // the signal handler ends with the process
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return errors.New("name a command: pause, use, serve, keep, check, empty")
	}
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	files := flags.String("files", "", "directory with a file for each key of the Secret")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	switch args[0] {
	case "pause":
		<-ctx.Done()
		return nil
	case "use":
		return use(ctx, *files)
	case "keep":
		return keep(ctx, *files)
	case "check":
		return check(ctx, *files)
	case "empty":
		return empty(ctx, *files)
	case "serve":
		return serve(ctx, *files)
	default:
		return fmt.Errorf("command %q is unknown", args[0])
	}
}

// serve ends the requests in flight before it returns: the bucket would keep their objects.
func serve(ctx context.Context, files string) error {
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := use(context.WithoutCancel(r.Context()), files); err != nil {
			fmt.Fprintln(os.Stderr, "app:", err)
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	})
	server := &http.Server{Addr: ":8080", ReadHeaderTimeout: time.Second, Handler: handler}
	ended := make(chan error, 1)
	go func() {
		<-ctx.Done()
		ended <- server.Shutdown(context.WithoutCancel(ctx))
	}()
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-ended
}
