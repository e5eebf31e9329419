// Runs before the app. It is a file, because the content security policy allows no inline script. The empty base keeps
// Fluent from loading fonts from another host. The script sets the theme before the first paint.
window.FabricConfig = { fontBaseUrl: '' }
try {
  const theme = localStorage.getItem('theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
  if (localStorage.getItem('rows') === 'compact') document.documentElement.dataset.rows = 'compact'
} catch {}
