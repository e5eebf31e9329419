import { BarChart3, type LucideIcon, ShieldCheck, UserRound, UsersRound } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call, type PathOutput } from '../../api.ts'
import { remember } from './remembered.ts'
import './demo.css'

// The sign-ins of the demo company. Only a build of the local stack contains this file.

interface SignIn {
  kind: keyof typeof icons
  name: string
  email?: string
  code?: string
  workno?: string
  password: string
}

const icons = {
  administrator: ShieldCheck,
  manager: UsersRound,
  employee: UserRound,
  reports: BarChart3,
} satisfies Record<string, LucideIcon>

/** The sign-ins that the local stack offers; none without a demo company. */
const useSignIns = (): SignIn[] => {
  const [signIns, setSignIns] = useState<SignIn[]>([])
  useEffect(() => {
    const controller = new AbortController()
    fetch('/demo/sign-ins.json', { signal: controller.signal })
      .then(async response => setSignIns(response.ok ? await response.json() : []))
      .catch(() => undefined)
    return () => controller.abort()
  }, [])
  return signIns
}

/** Offers the people of the demo company. One click signs in. */
export default function DemoSignIns(props: { redirect: 0 | 1; onEnter: (entry: PathOutput<'user/login'>) => void }) {
  const { t } = useTranslation('login')
  const signIns = useSignIns()
  const [busy, setBusy] = useState<SignIn>()
  const [failed, setFailed] = useState(false)
  const signIn = async (chosen: SignIn) => {
    const { email, code = '', workno = '', password } = chosen
    setBusy(chosen)
    setFailed(false)
    try {
      const entry = email
        ? await call('user/login', { email, password, redirect: props.redirect })
        : await call('personal/login', { code, workno, password, redirect: props.redirect })
      remember(email ? { side: 'management' } : { side: 'user', code, workno })
      props.onEnter(entry)
    } catch {
      setFailed(true)
      setBusy(undefined)
    }
  }
  if (signIns.length === 0) return null
  return (
    <section className="door-demo" aria-labelledby="door-demo">
      <h2 id="door-demo">{t('demo.title')}</h2>
      <p className="small muted">{t('demo.text')}</p>
      <ul>
        {signIns.map(one => {
          const Icon = icons[one.kind]
          return (
            <li key={one.kind}>
              <button type="button" disabled={busy !== undefined} aria-busy={busy === one} onClick={() => signIn(one)}>
                <Icon className="icon" aria-hidden="true" />
                <span>
                  <strong>{t(`demo.${one.kind}`)}</strong>
                  <span className="small muted">{one.name}</span>
                </span>
              </button>
            </li>
          )
        })}
      </ul>
      {failed && (
        <p className="small" role="alert">
          {t('demo.failed')}
        </p>
      )}
    </section>
  )
}
