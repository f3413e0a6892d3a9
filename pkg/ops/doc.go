// Package ops is what operators look at with a browser, below /ops of the API's admin listener: whether everything moves, dead letters,
// API keys, and what is paused. It shows what `scorelay status`, dlq, keys and pause show, by the same code, and does what they do.
//
// Invariants:
//   - The listener has answered what names another host than this machine's own, or one that was named to it (pkg/admin).
//   - Nothing but the way in is shown without a session, and a session begins with the token alone. It is sealed as the page's are, under a key that is derived
//     from the token: each API with the same token opens it, and another token ends all.
//   - What changes something is a POST with the session's own CSRF token from this origin, and is logged with the operator's name and session.
//   - A key's secret is shown once, to the session that made it, on the screen that the creation leads to. Loading that again makes and shows nothing.
package ops
