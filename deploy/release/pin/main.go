// Command pin pins the images in docker-compose.yml and deploy/Dockerfile to their tags' digests, so that every
// machine runs the same bytes even after a tag is moved.
//
//	go run -C deploy/release ./pin            write or update the digest of each image: name:tag@sha256:…
//	go run -C deploy/release ./pin -check     write nothing; fail if a digest is missing or outdated
//	go run -C deploy/release ./pin -remove    remove the digests
//
// Our own images, with a variable as registry, are built locally and left alone. Exit status 1: -check found a
// missing or outdated digest. 2: a registry, a file or the command line is at fault. Files are written only after all
// digests are known.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

var files = []string{"docker-compose.yml", "deploy/Dockerfile"}

// named matches an image's name with its tag, and its digest if pinned.
var named = regexp.MustCompile(`(?m)^((?:FROM|\s*image:)[ \t]+)([a-z0-9][^\s@]*:[^\s@:/]+)(@sha256:[0-9a-f]{64})?`)

var errStale = errors.New("run it without -check")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	registry := &registry{client: &http.Client{Timeout: time.Minute}, scheme: "https"}
	switch err := run(ctx, os.Args[1:], registry, os.Stdout); {
	case errors.Is(err, errStale):
		fmt.Fprintln(os.Stderr, "pin: "+err.Error())
		os.Exit(1)
	case err != nil:
		fmt.Fprintln(os.Stderr, "pin: "+err.Error())
		os.Exit(2)
	}
}

func run(ctx context.Context, args []string, r *registry, out io.Writer) error {
	flags := flag.NewFlagSet("pin", flag.ContinueOnError)
	check := flags.Bool("check", false, "write nothing; fail unless each image has the digest that its tag has now")
	remove := flags.Bool("remove", false, "take the digests out")
	root := flags.String("root", "../..", "folder of the repository")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 || *check && *remove {
		return errors.New("it takes -check or -remove, or nothing")
	}
	digests, stale := map[string]string{}, 0
	texts := map[string]string{}
	for _, file := range files {
		raw, err := os.ReadFile(filepath.Join(*root, file))
		if err != nil {
			return err
		}
		var failed error
		texts[file] = named.ReplaceAllStringFunc(string(raw), func(found string) string {
			parts := named.FindStringSubmatch(found)
			before, image, had := parts[1], parts[2], strings.TrimPrefix(parts[3], "@")
			switch {
			case failed != nil:
				return found
			case *remove:
				return before + image
			}
			digest, known := digests[image]
			if !known {
				if digest, failed = r.digest(ctx, image); failed != nil {
					return found
				}
				digests[image] = digest
			}
			if had != digest {
				stale++
				fmt.Fprintf(out, "%s: %s is %s, was %s\n", file, image, digest, orNone(had))
			}
			return before + image + "@" + digest
		})
		if failed != nil {
			return failed
		}
	}
	if *check {
		if stale > 0 {
			return fmt.Errorf("%d images do not have the digests of their tags; %w", stale, errStale)
		}
		return nil
	}
	for _, file := range files {
		if err := os.WriteFile(filepath.Join(*root, file), []byte(texts[file]), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func orNone(digest string) string {
	if digest == "" {
		return "not pinned"
	}
	return digest
}
