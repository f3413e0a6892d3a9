package httpapi_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/apikey"
	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/wallet"
)

// TestAKeyIsBoundToProjects: of another it may do nothing, and of its own everything.
func TestAKeyIsBoundToProjects(t *testing.T) {
	b := newBench(t, nil).withProject()
	b.restored()
	ids := []score.UpdateID{updateID("one")}
	acts := []struct {
		pointer string
		do      func() response
	}{
		{"/projectId", func() response { return b.post("/update-score", b.update("one")) }},
		{"/projectId", func() response { return b.post("/update-scores", b.free("one", "two")) }},
		{"/projectId", func() response { return b.reserve(1) }},
		{"/projectId", func() response { return b.lookUp(ids...) }},
		{"", func() response { return b.get("/projects/%s", b.project.ID) }},
		{"", func() response { return b.get("/projects/%s/updates/%s", b.project.ID, ids[0]) }},
		{"", func() response { return b.get("/projects/%s/scores/%s", b.project.ID, devnet.Address(9)) }},
	}
	b.withTerms(apikey.Terms{Projects: []score.ProjectID{{1}, {2}}})
	for i, act := range acts {
		r := act.do()
		require.Equal(t, "key_other_projects", r.code(), "%d: %s", i, r)
		require.Equal(t, act.pointer, r.pointer(), i)
	}
	r := b.post("/create-project", set(createBody(b.project), "projectId", score.ProjectID{3}))
	require.Equal(t, "key_other_projects", r.code(), r)
	require.Equal(t, "/projectId", r.pointer())
	require.Empty(t, b.stored())

	b.withTerms(apikey.Terms{Projects: []score.ProjectID{{1}, b.project.ID}})
	for i, act := range acts {
		require.Equal(t, http.StatusOK, act.do().status, i)
	}
}

// TestAKeyExpires by the clock, without any write.
func TestAKeyExpires(t *testing.T) {
	b := newBench(t, nil).withProject()
	var soon time.Time
	for wait := 2 * time.Second; ; wait *= 2 { // on a slow machine it is over before it is used
		soon = time.Now().Add(wait)
		if b.withTerms(apikey.Terms{Expires: &soon}).get("/projects/%s", b.project.ID).status == http.StatusOK {
			break
		}
		require.False(t, time.Now().Before(soon))
	}
	r := b.untilRefused()
	require.Equal(t, "expired_api_key", r.code(), r)
	require.Equal(t, "it was valid until "+soon.UTC().Format(time.RFC3339), r.body["detail"])
	require.False(t, time.Now().Before(soon))
	large := b.post("/update-score", make([]byte, 64<<10))
	require.Equal(t, "expired_api_key", large.code(), "its body is not read")
}

// TestSignaturesOfTheTimeMayBeRefused, of a key or of a project: then only those pass that cover the whole update.
func TestSignaturesOfTheTimeMayBeRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		setup  func(*setup)
		terms  apikey.Terms
		detail string
	}{
		"by the key":     {nil, apikey.Terms{Whole: true}, "this API key takes nothing else"},
		"by the project": {func(s *setup) { s.config.Whole = func(score.ProjectID) bool { return true } }, apikey.Terms{}, "the operator takes nothing else for this project"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, c.setup).withProject().withTerms(c.terms)
			for _, body := range []object{b.update("one"), set(b.update("one"), "scheme", "eip191")} {
				r := b.post("/update-score", body)
				require.Equal(t, "time_signature", r.code(), r)
				require.Equal(t, "/scheme", r.pointer())
				require.Contains(t, r.raw, c.detail)
			}
			require.Empty(t, b.stored())
			r := b.post("/update-score", b.typed("one", wallet.NewDomain(devnet.ChainID, shared.contract)))
			require.Equal(t, "accepted", r.body["status"], r)
			r = b.post("/update-scores", b.free("two", "three"))
			require.Equal(t, "accepted", r.body["status"], r)
		})
	}
	b := startBench(t, func(s *setup) { s.config.Whole = func(id score.ProjectID) bool { return id == score.ProjectID{9} } }).withProject()
	require.Equal(t, "accepted", b.post("/update-score", b.update("one")).body["status"], "another project")
}
