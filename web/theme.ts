// Light, dark, or what the system says. `start.js` reads the same word before the first paint.

export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

export const readTheme = (): Theme => themes.find(theme => theme === localStorage.getItem('theme')) ?? 'system'

export const chooseTheme = (theme: Theme) => {
  if (theme === 'system') {
    localStorage.removeItem('theme')
    delete document.documentElement.dataset.theme
  } else {
    localStorage.setItem('theme', theme)
    document.documentElement.dataset.theme = theme
  }
}
