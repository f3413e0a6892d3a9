// What the page does better with a script: the theme before anything is drawn, local times, and ids copied by one click.
'use strict'
const root = document.documentElement
try {
  if (localStorage.theme) root.dataset.theme = localStorage.theme
} catch { /* a browser may keep nothing */ }

addEventListener('DOMContentLoaded', () => {
  const theme = document.getElementById('theme')
  const dark = () => root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches
  const label = () => { theme.textContent = dark() ? 'Light' : 'Dark' }
  theme.hidden = false
  theme.addEventListener('click', () => {
    root.dataset.theme = dark() ? 'light' : 'dark'
    label()
    try { localStorage.theme = root.dataset.theme } catch { /* as above */ }
  })
  label()
  dress(document)
})

// dress has a part of the document do what the script adds, also one that a script put there.
function dress(part) {
  for (const time of part.querySelectorAll('time')) {
    time.title = `${new Date(time.dateTime).toLocaleString()} (${time.title})`
  }
  for (const button of part.querySelectorAll('.copy')) {
    if (!navigator.clipboard) break // a browser has one at HTTPS and at this machine
    button.hidden = false
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(button.dataset.copy)
      button.textContent = 'copied'
      setTimeout(() => { button.textContent = 'copy' }, 1500)
    })
  }
}
