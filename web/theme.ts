// The theme (light, dark or the system's) and the row height. `start.js` reads the same stored values before the first
// paint.

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

export const rowHeights = ['comfortable', 'compact'] as const
export type RowHeight = (typeof rowHeights)[number]

export const readRows = (): RowHeight => (localStorage.getItem('rows') === 'compact' ? 'compact' : 'comfortable')

export const chooseRows = (rows: RowHeight) => {
  if (rows === 'compact') {
    localStorage.setItem('rows', rows)
    document.documentElement.dataset.rows = rows
  } else {
    localStorage.removeItem('rows')
    delete document.documentElement.dataset.rows
  }
}
