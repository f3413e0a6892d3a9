// Package page is what people look at with a browser, below /app: HTML made on the server, one stylesheet, a few lines of script.
//
// Invariants:
//   - It only reads, and nothing that the holder of the API key could not look up: package httpapi lets a request in as a look-up of the
//     key that its session holds, with the key's rights, projects, rate and places.
//   - A session is the API key and an end, sealed (AES-GCM) into a cookie under a key that every API of the deployment derives from the
//     deployment's secret. No server keeps a state of it: any API opens it, after any restart. It ends after SessionTime, when the key is revoked or expires, or
//     with the cookie. Neither the cookie without the secret, nor the secret without a cookie, lets anyone in.
//   - The key is in no URL, page or log. The cookie is strict (no other site's page can send it), hidden from scripts, and over TLS only except at a loopback
//     address.
//   - Everything from outside is escaped by html/template, and characters that cannot be seen, or turn the text around, are shown as their code (visible).
//   - A page loads nothing but /app's own files; the policy forbids the rest, and scripts and styles within a page (policy).
//   - Everything reads without the script, which copies ids, shows local times and switches the theme.
package page
