package status

import (
	"context"
	"crypto/rand"

	"github.com/redis/go-redis/v9"

	"github.com/scorelay/scorelay/pkg/redisdb"
	"github.com/scorelay/scorelay/pkg/score"
)

// claimScript: KEYS records; ARGV token, lifetime ms. Returns duplicate, busy or won for each; when one is busy, those
// that could have been won are left as they were and answered empty. Repeating it with the same token wins again.
var claimScript = redis.NewScript(`
local answers, busy = {}, false
for i, key in ipairs(KEYS) do
  local v = redis.call('GET', key)
  local kind = v and string.sub(v, 1, 1)
  if not v or (kind == 'f' and tonumber(string.match(v, '^f:(%d+)')) > 1)
    or (kind == 'c' and string.match(v, '^c:([^:]+)') == ARGV[1]) then
    answers[i] = ''
  elseif kind == 'c' then
    answers[i], busy = 'busy', true
  else
    answers[i] = 'duplicate'
  end
end
if busy then return answers end
for i, key in ipairs(KEYS) do
  if answers[i] == '' then
    answers[i] = 'won'
    local v = redis.call('GET', key)
    if not v then
      redis.call('SET', key, 'c:' .. ARGV[1], 'PX', ARGV[2])
    elseif string.sub(v, 1, 1) == 'f' then
      redis.call('SET', key, 'c:' .. ARGV[1] .. ':' .. v, 'PX', ARGV[2])
    end
  end
end
return answers`)

// releaseScript: KEYS records; ARGV retention ms, token. Takes the token's claims back; what was before each returns.
var releaseScript = redis.NewScript(`
for _, key in ipairs(KEYS) do
  local v = redis.call('GET', key)
  if v and string.match(v, '^c:([^:]+)') == ARGV[2] then
    local before = string.match(v, '^c:[^:]+:(.+)$')
    if before then
      redis.call('SET', key, before, 'PX', ARGV[1])
    else
      redis.call('DEL', key)
    end
  end
end
return #KEYS`)

// NewToken is a token for claims that no other process has.
func NewToken() string { return rand.Text() }

// Claim asks for 1 … score.MaxSigned updateIds at once, for one accept. It answers for each, in order: all that no
// update was accepted under are won together; or none is, because one is busy, and then they are answered empty. So a
// caller that waits for one id holds none that others wait for. The token names the claims; the same one may claim again.
func (s *Store) Claim(ctx context.Context, refs []score.Ref, token string) ([]score.Claim, error) {
	var answers []string
	err := s.call(ctx, "claim updates", func(ctx context.Context) (err error) {
		answers, err = claimScript.Run(ctx, s.client, s.keys(refs), token, s.config.Claim.Milliseconds()).StringSlice()
		if err == nil && len(answers) != len(refs) {
			err = redisdb.BadData("%d answers for %d ids", len(answers), len(refs))
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	claims := make([]score.Claim, len(answers))
	for i, answer := range answers {
		claims[i] = score.Claim(answer)
	}
	return claims, nil
}

// Release gives the token's claims among the updateIds back after a failed accept; all else stays as it is.
func (s *Store) Release(ctx context.Context, refs []score.Ref, token string) error {
	return s.each(ctx, "release claims", releaseScript, refs, nil, token)
}
