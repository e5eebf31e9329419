// Runs before the app, from a file because the content security policy allows no inline script.
// An empty base keeps Fluent from fetching its fonts from another host; the theme is set before the first paint.
window.FabricConfig = { fontBaseUrl: '' }
try {
  const theme = localStorage.getItem('theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
  if (localStorage.getItem('rows') === 'compact') document.documentElement.dataset.rows = 'compact'
} catch {}
