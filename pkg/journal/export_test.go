package journal

// LoadQuiet is how long Load waits for an entry.
const LoadQuiet = loadQuiet
