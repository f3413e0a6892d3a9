package composecheck

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// TestProductionIsClosed: what a real deployment runs on lets no program in without a password, or without TLS. That the
// servers take these files, and Scorelay them, is tested in cmd/scorelay.
func TestProductionIsClosed(t *testing.T) {
	for file, wants := range map[string][]string{
		"nats.conf": {
			`(?m)^tls \{`, `(?m)^authorization \{`, `password: \$NATS_PASSWORD`, `(?m)^https: `, `(?m)^  sync_interval: always$`, `verify: true`,
		},
		"redis.conf": {`(?m)^port 0$`, `(?m)^tls-port 6379$`, `(?m)^protected-mode yes$`, `(?m)^aclfile `, `(?m)^maxmemory-policy noeviction$`},
	} {
		text, err := os.ReadFile(filepath.Join(root, "deploy", "production", file))
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range wants {
			if !regexp.MustCompile(want).Match(text) {
				t.Errorf("%s has nothing like %s", file, want)
			}
		}
		if regexp.MustCompile(`(?m)^http: `).Match(text) {
			t.Errorf("%s answers without TLS", file)
		}
	}
}
