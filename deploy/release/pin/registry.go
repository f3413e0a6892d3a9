package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
)

// maxManifest is the manifest size, in bytes, that the OCI distribution specification expects registries to support.
const maxManifest = 4 << 20

// manifests are the accepted types: lists of platforms first, so that a pin covers every platform.
var manifests = []string{
	"application/vnd.oci.image.index.v1+json", "application/vnd.docker.distribution.manifest.list.v2+json",
	"application/vnd.oci.image.manifest.v1+json", "application/vnd.docker.distribution.manifest.v2+json",
}

// registry is a client by the OCI distribution specification: https://github.com/opencontainers/distribution-spec.
type registry struct {
	client *http.Client
	scheme string
	hosts  map[string]string // overrides of registry hosts; for tests
}

// digest returns a tag's current digest, computed from the manifest, and an error if the registry's header differs.
func (r *registry) digest(ctx context.Context, image string) (string, error) {
	host, repository, tag := parse(image)
	if other, ok := r.hosts[host]; ok {
		host = other
	}
	address := r.scheme + "://" + host + "/v2/" + repository + "/manifests/" + url.PathEscape(tag)
	body, header, err := r.get(ctx, address, "")
	if challenge := (*challenged)(nil); errors.As(err, &challenge) {
		var token string
		if token, err = r.token(ctx, challenge.header, repository); err == nil {
			body, header, err = r.get(ctx, address, token)
		}
	}
	if err != nil {
		return "", fmt.Errorf("couldn't read which digest %s has: %w", image, err)
	}
	sum := sha256.Sum256(body)
	digest := "sha256:" + hex.EncodeToString(sum[:])
	if said := header.Get("Docker-Content-Digest"); said != "" && said != digest {
		return "", fmt.Errorf("the registry says that %s is %s, and answers with %s", image, said, digest)
	}
	return digest, nil
}

// parse splits an image's name like docker; the default registry is Docker Hub.
func parse(image string) (host, repository, tag string) {
	repository, tag = image[:strings.LastIndexByte(image, ':')], image[strings.LastIndexByte(image, ':')+1:]
	first, rest, several := strings.Cut(repository, "/")
	switch {
	case several && (strings.ContainsAny(first, ".:") || first == "localhost"):
		return first, rest, tag
	case several:
		return "registry-1.docker.io", repository, tag
	default:
		return "registry-1.docker.io", "library/" + repository, tag
	}
}

// challenged is a 401 response's WWW-Authenticate header, as an error.
type challenged struct{ header string }

func (c *challenged) Error() string { return "the registry wants a login: " + c.header }

func (r *registry) get(ctx context.Context, address, token string) ([]byte, http.Header, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, nil, err
	}
	request.Header["Accept"] = manifests
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := r.client.Do(request)
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusUnauthorized && token == "" {
		return nil, nil, &challenged{response.Header.Get("WWW-Authenticate")}
	}
	if response.StatusCode != http.StatusOK {
		return nil, nil, fmt.Errorf("%s answers %s", address, response.Status)
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxManifest+1))
	if err == nil && len(body) > maxManifest {
		err = fmt.Errorf("%s answers more than %d bytes", address, maxManifest)
	}
	return body, response.Header, err
}

var parameter = regexp.MustCompile(`(\w+)="([^"]*)"`)

// token requests an anonymous pull token from the challenge's realm.
func (r *registry) token(ctx context.Context, challenge, repository string) (string, error) {
	values := map[string]string{"scope": "repository:" + repository + ":pull"}
	for _, found := range parameter.FindAllStringSubmatch(challenge, -1) {
		values[found[1]] = found[2]
	}
	realm, err := url.Parse(values["realm"])
	if kind, _, _ := strings.Cut(challenge, " "); !strings.EqualFold(kind, "Bearer") || err != nil || realm.Scheme != r.scheme {
		return "", fmt.Errorf("the registry wants a login of a kind that is not known: %q", challenge)
	}
	query := realm.Query()
	query.Set("scope", values["scope"])
	if values["service"] != "" {
		query.Set("service", values["service"])
	}
	realm.RawQuery = query.Encode()
	body, _, err := r.get(ctx, realm.String(), "")
	if err != nil {
		return "", err
	}
	var answer struct {
		Token  string `json:"token"`
		Access string `json:"access_token"` // OAuth2's name for it
	}
	if err := json.Unmarshal(body, &answer); err != nil || answer.Token+answer.Access == "" {
		return "", fmt.Errorf("%s gives no token", realm.Host)
	}
	if answer.Token != "" {
		return answer.Token, nil
	}
	return answer.Access, nil
}
