package status

import (
	"context"
	"fmt"

	"github.com/redis/go-redis/v9"

	"github.com/scorelay/scorelay/pkg/score"
)

// claimGroupScript: KEYS records; ARGV token, lifetime ms. Returns duplicate, busy or won for each; when one is busy,
// those that could have been won are left as they were and answered empty. Repeating it with the same token wins again.
var claimGroupScript = redis.NewScript(`
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

// releaseGroupScript: KEYS records; ARGV token, retention ms. Takes the token's claims back, whatever was before each
// returns.
var releaseGroupScript = redis.NewScript(`
for _, key in ipairs(KEYS) do
  local v = redis.call('GET', key)
  if v and string.match(v, '^c:([^:]+)') == ARGV[1] then
    local before = string.match(v, '^c:[^:]+:(.+)$')
    if before then
      redis.call('SET', key, before, 'PX', ARGV[2])
    else
      redis.call('DEL', key)
    end
  end
end
return #KEYS`)

// ClaimGroup asks for 1 … score.MaxSigned updateIds of a project at once, for one accept. It answers for each, in order:
// all that no update was accepted under are won together; or none is, because one is busy, and then they are answered
// empty. So nobody who waits holds what others wait for. The same token may claim again.
func (s *Store) ClaimGroup(ctx context.Context, project score.ProjectID, updates []score.UpdateID, token string) ([]score.Claim, error) {
	var answers []string
	err := s.call(ctx, "claim a group", func(ctx context.Context) (err error) {
		answers, err = claimGroupScript.Run(ctx, s.client, s.groupKeys(project, updates), token, s.config.Claim.Milliseconds()).StringSlice()
		if err == nil && len(answers) != len(updates) {
			err = fmt.Errorf("%w: %d answers for %d ids", errMalformed, len(answers), len(updates))
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

// ReleaseGroup gives the token's claims among the updateIds back after a failed accept; all else stays as it is.
func (s *Store) ReleaseGroup(ctx context.Context, project score.ProjectID, updates []score.UpdateID, token string) error {
	return s.call(ctx, "release the claims of a group", func(ctx context.Context) error {
		return releaseGroupScript.Run(ctx, s.client, s.groupKeys(project, updates), token, s.retention()).Err()
	})
}

func (s *Store) groupKeys(project score.ProjectID, updates []score.UpdateID) []string {
	keys := make([]string, len(updates))
	for i, update := range updates {
		keys[i] = s.updateKey(project, update)
	}
	return keys
}
