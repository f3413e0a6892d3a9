// Package page is what people look at with a browser, below /app: HTML made on the server, one stylesheet, a few lines of script.
//
// Invariants:
//   - It shows nothing that the holder of the API key could not look up: package httpapi lets a request in as a look-up of the
//     key that its session holds, with the key's rights, projects, rate and places.
//   - It changes a project by one post only, that of an edit which an owner's wallet signed, and the API takes that as one with the session's key: the same handler,
//     checks, rights and budget. No screen sees a private key. A post counts if its origin is the page's and it holds the session's token (Sessions.Ours).
//   - What an owner signs stands on the screen once: shown, signed and sent are the same values. The API encodes them by itself and recovers the owner, so what a screen
//     shows otherwise than its wallet signs is no owner's.
//   - A session is the API key and an end, sealed (AES-GCM) into a cookie under a key that every API of the deployment derives from the
//     deployment's secret. No server keeps a state of it: any API opens it, after any restart. It ends after SessionTime, when the key is revoked or expires, or
//     with the cookie. Neither the cookie without the secret, nor the secret without a cookie, lets anyone in.
//   - The key is in no URL, page or log. The cookie is strict (no other site's page can send it), hidden from scripts, and over TLS only except at a loopback
//     address; one that is not bound to TLS counts there alone (Sessions.sent). What stays open, as a live stream, ends soon and begins again with the cookie.
//   - What is told of an update's way is known of that update: what no status, final execution or transaction tells stands on no screen.
//   - Everything from outside is escaped by html/template, and characters that cannot be seen, or turn the text around, are shown on
//     screens as their code (visible); a CSV has names as they are, but for what keeps spreadsheets from running them (score.CSVCell).
//   - A page loads nothing but /app's own files; the policy forbids the rest, and scripts and styles within a page (policy). The icons of wallets are within what the
//     wallets say. Its only links elsewhere are to the operator's block explorer, which is not told from where (explorer).
//   - Everything reads without the scripts: one copies ids, shows local times, switches the theme and follows what is not final; the other reaches wallets.
package page
