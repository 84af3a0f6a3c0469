package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"time"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
)

const linkTimeout = 10 * time.Second

// openPage opens the page of an emulator in the browser, with a link that is valid once.
func openPage(ctx context.Context, streams cli.Streams, page string) error {
	program, err := browser()
	if err != nil {
		return err
	}
	link, err := oneTimeLink(ctx, page)
	if err != nil {
		return err
	}
	opening := exec.CommandContext(ctx, program, link)
	opening.Stdout, opening.Stderr = streams.Err, streams.Err
	if err := opening.Run(); err != nil {
		return fmt.Errorf("open the page with %s: %w; 'cosi-emu ui' prints its URL", program, err)
	}
	return nil
}

// browser returns the program that opens a URL: $BROWSER, or the desktop's.
func browser() (string, error) {
	for _, name := range []string{os.Getenv("BROWSER"), "xdg-open", "open"} {
		if program, err := exec.LookPath(name); name != "" && err == nil {
			return program, nil
		}
	}
	return "", errors.New("no program found that opens a URL; set BROWSER to one, or open the URL that 'cosi-emu ui' prints")
}

// oneTimeLink asks a page for a link to itself.
func oneTimeLink(ctx context.Context, page string) (link string, err error) {
	ctx, cancel := context.WithTimeout(ctx, linkTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, page+"link", http.NoBody)
	if err != nil {
		return "", errors.New("the URL of the page is invalid")
	}
	request.Close = true
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", fmt.Errorf("ask the page for a link: %w", errors.Unwrap(err)) // the outer error has the token
	}
	defer func() { err = errors.Join(err, response.Body.Close()) }()
	var answer struct {
		URL string `json:"url"`
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil || answer.URL == "" {
		return "", errors.New("the page gives no link: the emulator is of another version; restart it, or open the URL that 'cosi-emu ui' prints")
	}
	return answer.URL, nil
}
