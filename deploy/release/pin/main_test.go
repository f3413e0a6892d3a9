package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
)

const root = "../../.."

// server implements the OCI distribution protocol like Docker Hub: a challenge, a token for one repository, and the
// list of platforms if the client accepts it.
type server struct {
	*httptest.Server
	mu   sync.Mutex
	tags map[string]string // manifests by repository:tag
	lie  bool              // send the digest of another manifest
	open bool              // require no token
}

func serve(t *testing.T) *server {
	s := &server{tags: map[string]string{}}
	s.Server = httptest.NewTLSServer(http.HandlerFunc(s.answer))
	t.Cleanup(s.Close)
	return s
}

var path = regexp.MustCompile(`^/v2/(.+)/manifests/([^/]+)$`)

func (s *server) answer(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.URL.Path == "/token" {
		if r.URL.Query().Get("service") != "registry.example" {
			http.Error(w, "which service?", http.StatusBadRequest)
			return
		}
		fmt.Fprintf(w, `{"token":"for %s","expires_in":300}`, r.URL.Query().Get("scope"))
		return
	}
	found := path.FindStringSubmatch(r.URL.Path)
	if found == nil {
		http.NotFound(w, r)
		return
	}
	if scope := "repository:" + found[1] + ":pull"; !s.open && r.Header.Get("Authorization") != "Bearer for "+scope {
		w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Bearer realm="%s/token",service="registry.example",scope="%s"`, s.URL, scope))
		http.Error(w, `{"errors":[{"code":"UNAUTHORIZED"}]}`, http.StatusUnauthorized)
		return
	}
	manifest, ok := s.tags[found[1]+":"+found[2]]
	if !ok {
		http.Error(w, `{"errors":[{"code":"MANIFEST_UNKNOWN"}]}`, http.StatusNotFound)
		return
	}
	if !strings.Contains(strings.Join(r.Header.Values("Accept"), ","), "application/vnd.oci.image.index.v1+json") {
		manifest = "of one platform"
	}
	w.Header().Set("Docker-Content-Digest", digestOf(manifest))
	if s.lie {
		w.Header().Set("Docker-Content-Digest", digestOf("another"))
	}
	_, _ = io.WriteString(w, manifest)
}

func digestOf(manifest string) string {
	return fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(manifest)))
}

func (s *server) registry() *registry {
	host := strings.TrimPrefix(s.URL, "https://")
	return &registry{client: s.Client(), scheme: "https", hosts: map[string]string{"registry-1.docker.io": host, "ghcr.io": host}}
}

// copied copies the files, without pins, into a new folder, changes to it and returns the texts.
func copied(t *testing.T) map[string]string {
	dir, texts := t.TempDir(), map[string]string{}
	if err := os.Mkdir(filepath.Join(dir, "deploy"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(filepath.Join(root, file))
		if err == nil {
			texts[file] = named.ReplaceAllString(string(raw), "$1$2")
			err = os.WriteFile(filepath.Join(dir, file), []byte(texts[file]), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	return texts
}

func read(t *testing.T, file string) string {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// stock adds the files' images to the registry, with content that begins with what. It returns their number.
func (s *server) stock(texts map[string]string, what string) (n int) {
	for _, text := range texts {
		for _, found := range named.FindAllStringSubmatch(text, -1) {
			_, repository, tag := parse(found[2])
			s.tags[repository+":"+tag] = what + repository
			n++
		}
	}
	return n
}

func TestPin(t *testing.T) {
	s, texts := serve(t), copied(t)
	if n := s.stock(texts, "first "); n != 6 {
		t.Fatalf("%d images are found, want nats, redis, foundry, prometheus, grafana and golang", n)
	}
	pin := func(args ...string) error { return run(t.Context(), append(args, "-root=."), s.registry(), io.Discard) }

	if err := pin("-check"); !errors.Is(err, errStale) {
		t.Fatalf("images without a digest pass: %v", err)
	}
	if got := read(t, files[0]); got != texts[files[0]] {
		t.Fatal("-check wrote something")
	}
	if err := pin(); err != nil {
		t.Fatal(err)
	}
	compose, docker := read(t, files[0]), read(t, files[1])
	for text, image := range map[string]string{
		"image: nats:2.15.2-alpine@" + digestOf("first library/nats") + "\n":                      compose,
		"image: ghcr.io/foundry-rs/foundry:v1.7.1@" + digestOf("first foundry-rs/foundry") + "\n": compose,
		"image: ${SCORELAY_REGISTRY:-localhost}/scorelay/api:dev\n":                               compose,
		"@" + digestOf("first library/golang") + " AS build\n":                                    docker,
		"FROM scratch AS base\n": docker,
		"FROM base AS api\n":     docker,
		"image: redis:7.2.11-alpine@" + digestOf("first library/redis"): compose,
	} {
		if !strings.Contains(image, text) {
			t.Errorf("%q is not in\n%s", text, image)
		}
	}
	if err := pin("-check"); err != nil {
		t.Fatalf("what was pinned does not pass: %v", err)
	}

	s.stock(texts, "second ") // move the tags
	if err := pin("-check"); !errors.Is(err, errStale) {
		t.Fatalf("tags that moved pass: %v", err)
	}
	if err := pin(); err != nil {
		t.Fatal(err)
	}
	if got := read(t, files[0]); got != strings.NewReplacer(
		digestOf("first library/nats"), digestOf("second library/nats"), digestOf("first library/redis"), digestOf("second library/redis"),
		digestOf("first foundry-rs/foundry"), digestOf("second foundry-rs/foundry"),
		digestOf("first prom/prometheus"), digestOf("second prom/prometheus"),
		digestOf("first grafana/grafana"), digestOf("second grafana/grafana")).Replace(compose) {
		t.Error("pinning again changed something else")
	}
	if err := pin("-remove"); err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if read(t, file) != texts[file] {
			t.Errorf("-remove does not restore %s", file)
		}
	}
}

// TestNothingIsWrittenOfWhatCannotBeBelieved: no tag, no registry, contradictory digests, an unknown login scheme.
func TestNothingIsWrittenOfWhatCannotBeBelieved(t *testing.T) {
	for name, spoil := range map[string]func(s *server) *registry{
		"answers 404":                 func(s *server) *registry { clear(s.tags); return s.registry() },
		"and answers with":            func(s *server) *registry { s.lie = true; return s.registry() },
		"of a kind that is not known": func(s *server) *registry { r := s.registry(); r.hosts = basic(s); return r },
		"connection refused":          func(s *server) *registry { r := s.registry(); s.Close(); return r },
	} {
		t.Run(name, func(t *testing.T) {
			s, texts := serve(t), copied(t)
			s.stock(texts, "")
			s.open = true
			err := run(context.Background(), []string{"-root=."}, spoil(s), io.Discard)
			if err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("the error is %v", err)
			}
			for _, file := range files {
				if read(t, file) != texts[file] {
					t.Errorf("%s was written", file)
				}
			}
		})
	}
}

// basic makes the registry require a password.
func basic(s *server) map[string]string {
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", `Basic realm="https://somewhere.example"`)
		w.WriteHeader(http.StatusUnauthorized)
	})
	return s.registry().hosts
}

func TestParse(t *testing.T) {
	for image, want := range map[string][3]string{
		"nats:2":                          {"registry-1.docker.io", "library/nats", "2"},
		"bitnami/redis:7":                 {"registry-1.docker.io", "bitnami/redis", "7"},
		"ghcr.io/foundry-rs/foundry:v1":   {"ghcr.io", "foundry-rs/foundry", "v1"},
		"localhost/x:1":                   {"localhost", "x", "1"},
		"registry.example:5000/a/b/c:1.2": {"registry.example:5000", "a/b/c", "1.2"},
	} {
		if host, repository, tag := parse(image); [3]string{host, repository, tag} != want {
			t.Errorf("%s is %s %s %s, want %s", image, host, repository, tag, want)
		}
	}
}
