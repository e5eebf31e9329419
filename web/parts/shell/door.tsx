import { Globe } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { chooseLanguage, isLanguage, languages } from '../../language.ts'
import { Mark } from './brand.tsx'
import { Link } from './router.ts'
import './door.css'

/** The frame of the pages before sign-in: the form on one side, the dial of the day on the other. */
export function Door({ title, children }: { title: string; children: ReactNode }) {
  const { t, i18n } = useTranslation()
  useEffect(() => {
    document.title = `${title} · ${t('product')}`
  }, [title, t])
  return (
    <div className="door">
      <div className="door-main">
        <header className="door-head">
          <Link className="door-brand" to="/login">
            <span className="tile">
              <Mark size={24} />
            </span>
            {t('product')}
          </Link>
          <label className="door-language">
            <Globe className="icon" aria-hidden="true" />
            <span className="unseen">{t('menu.language')}</span>
            <select
              value={i18n.language}
              onChange={({ target }) => isLanguage(target.value) && chooseLanguage(target.value)}
            >
              {Object.entries(languages).map(([key, name]) => (
                <option key={key} value={key} lang={key}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        </header>
        <main className="door-form" id="page">
          {children}
        </main>
        <footer className="door-foot small">
          <Link to="/terms">{t('terms')}</Link>
          <Link to="/privacy">{t('privacy')}</Link>
          <Link to="/help">{t('menu.help')}</Link>
        </footer>
      </div>
      <aside className="door-side" aria-hidden="true">
        <Dial />
        <p className="door-claim">{t('claim')}</p>
      </aside>
    </div>
  )
}

const centre = 260

const polar = (hour: number, radius: number) => {
  const angle = (hour / 24) * 2 * Math.PI - Math.PI / 2
  return [centre + radius * Math.cos(angle), centre + radius * Math.sin(angle)] as const
}

const arc = (from: number, to: number, radius: number) => {
  const [x1, y1] = polar(from, radius)
  const [x2, y2] = polar(to, radius)
  return `M${x1} ${y1}A${radius} ${radius} 0 ${to - from > 12 ? 1 : 0} 1 ${x2} ${y2}`
}

const shifts = [
  { from: 6, to: 14, radius: 196, tone: 'early' },
  { from: 9, to: 17.5, radius: 172, tone: 'day' },
  { from: 14, to: 22, radius: 148, tone: 'late' },
  { from: 22, to: 30, radius: 196, tone: 'night' },
] as const

/** Twenty-four hours as a ring: quarter-hour ticks, four shifts, and a hand at the visitor's local time. */
function Dial() {
  const { i18n } = useTranslation()
  const [now, setNow] = useState(() => new Date())
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), 10_000)
    return () => clearInterval(timer)
  }, [])
  const hour = now.getHours() + now.getMinutes() / 60
  const [x1, y1] = polar(hour, 108)
  const [x2, y2] = polar(hour, 238)
  return (
    <svg className="dial" viewBox="0 0 520 520" aria-hidden="true">
      {Array.from({ length: 96 }, (_, quarter) => {
        const isHour = quarter % 4 === 0
        const [ax, ay] = polar(quarter / 4, isHour ? 222 : 228)
        const [bx, by] = polar(quarter / 4, 236)
        return (
          <line
            key={`${ax},${ay}`}
            x1={ax}
            y1={ay}
            x2={bx}
            y2={by}
            className={quarter / 4 <= hour ? 'tick past' : 'tick'}
          />
        )
      })}
      {[0, 6, 12, 18].map(mark => {
        const [x, y] = polar(mark, 252)
        return (
          <text key={mark} x={x} y={y} className="dial-hour">
            {String(mark).padStart(2, '0')}
          </text>
        )
      })}
      {shifts.map(({ from, to, radius, tone }) => (
        <g key={tone}>
          <path d={arc(from, to, radius)} className={`shift ${tone}`} />
          <circle cx={polar(from, radius)[0]} cy={polar(from, radius)[1]} r="4" className="punch" />
          <circle cx={polar(to, radius)[0]} cy={polar(to, radius)[1]} r="4" className="punch" />
        </g>
      ))}
      <line x1={x1} y1={y1} x2={x2} y2={y2} className="hand" />
      <circle cx={x2} cy={y2} r="5" className="hand-end" />
      <text x={centre} y={centre - 4} className="dial-time">
        {now.toLocaleTimeString(i18n.language, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })}
      </text>
      <text x={centre} y={centre + 36} className="dial-day">
        {now.toLocaleDateString(i18n.language, { weekday: 'long', day: 'numeric', month: 'long' })}
      </text>
    </svg>
  )
}
