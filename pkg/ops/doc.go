// Package ops serves the operators' web UI below /ops of the API's admin listener: whether everything moves, dead
// letters, API keys and pauses. It uses the code of `scorelay status`, dlq, keys and pause, with the same effects.
//
// Invariants:
//   - The listener accepts a request only if its Host header names this machine or a configured host (pkg/admin).
//   - Without a session only the sign-in is shown, which requires only the token. Sessions are sealed like the page's,
//     under a key derived from the token: all APIs with the same token can open them, and a new token ends them.
//   - A change requires a POST from this origin with the session's CSRF token. It is logged with operator and
//     session.
//   - A key's secret is shown once, to the session that created the key. A reload of that screen creates and shows
//     none.
package ops
