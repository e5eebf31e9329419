import { createTheme, registerIcons, ThemeProvider } from '@fluentui/react'
import {
  Calendar,
  Check,
  ChevronDown,
  ChevronLeft,
  ChevronRight,
  ChevronUp,
  CircleAlert,
  Info,
  Search,
  TriangleAlert,
  X,
} from 'lucide-react'
import type { ReactNode } from 'react'

// The theme of Fluent UI. Its palette uses our CSS variables, so light and dark need no second set of styles. Its icons
// are SVG, because Fluent's icon fonts are licensed only for Microsoft's products and load from another host.

const small = { size: 16, strokeWidth: 2, 'aria-hidden': true as const }

registerIcons(
  {
    icons: {
      Calendar: <Calendar {...small} />,
      Cancel: <X {...small} />,
      Clear: <X {...small} />,
      CheckMark: <Check {...small} />,
      ChevronDown: <ChevronDown {...small} />,
      ChevronLeft: <ChevronLeft {...small} />,
      ChevronRight: <ChevronRight {...small} />,
      ChevronUp: <ChevronUp {...small} />,
      Up: <ChevronUp {...small} />,
      Down: <ChevronDown {...small} />,
      ErrorBadge: <CircleAlert {...small} />,
      Info: <Info {...small} />,
      Search: <Search {...small} />,
      Warning: <TriangleAlert {...small} />,
    },
  },
  { disableWarnings: true },
)

const theme = createTheme({
  defaultFontStyle: { fontFamily: 'var(--font)', fontWeight: 500 },
  palette: {
    themePrimary: 'var(--accent)',
    themeDark: 'var(--accent-hover)',
    themeDarkAlt: 'var(--accent-hover)',
    themeDarker: 'var(--accent-press)',
    themeSecondary: 'var(--accent)',
    themeTertiary: 'var(--accent-line)',
    themeLight: 'var(--accent-soft)',
    themeLighter: 'var(--accent-soft)',
    themeLighterAlt: 'var(--accent-soft)',
    white: 'var(--raised)',
    neutralLighterAlt: 'var(--hover)',
    neutralLighter: 'var(--hover)',
    neutralLight: 'var(--press)',
    neutralQuaternaryAlt: 'var(--line)',
    neutralQuaternary: 'var(--line)',
    neutralTertiaryAlt: 'var(--line-strong)',
    neutralTertiary: 'var(--fg3)',
    neutralSecondary: 'var(--fg2)',
    neutralSecondaryAlt: 'var(--fg2)',
    neutralPrimaryAlt: 'var(--fg)',
    neutralPrimary: 'var(--fg)',
    neutralDark: 'var(--fg)',
    black: 'var(--fg)',
  },
  semanticColors: {
    bodyBackground: 'transparent',
    bodyText: 'var(--fg)',
    menuBackground: 'var(--raised)',
    menuDivider: 'var(--line)',
    menuIcon: 'var(--fg2)',
    menuHeader: 'var(--fg3)',
    inputBackground: 'var(--surface)',
    inputBorder: 'var(--line-strong)',
    inputBorderHovered: 'var(--fg2)',
    inputFocusBorderAlt: 'var(--accent)',
    inputPlaceholderText: 'var(--fg3)',
    inputText: 'var(--fg)',
    errorText: 'var(--danger)',
    primaryButtonText: 'var(--on-accent)',
    focusBorder: 'var(--accent)',
  },
  effects: {
    elevation4: 'var(--shadow-1)',
    elevation8: 'var(--shadow-2)',
    elevation16: 'var(--shadow-2)',
    elevation64: 'var(--shadow-3)',
    roundedCorner2: '6px',
    roundedCorner4: '10px',
    roundedCorner6: '10px',
  },
})

export function Fluent({ children }: { children: ReactNode }) {
  return (
    <ThemeProvider theme={theme} applyTo="none" className="fluent">
      {children}
    </ThemeProvider>
  )
}
