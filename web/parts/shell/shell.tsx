import { Search, Settings, WifiOff } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { goLive } from '../../live.ts'
import { type GroupName, groups, pageAt, pagesOf, sidebarOf, singlePages } from '../../menu.ts'
import { fullName } from '../../person-name.ts'
import { useRareRead, useRead } from '../../read.ts'
import { usePerson } from '../../session.tsx'
import { Fluent } from '../fluent.tsx'
import { PersonAvatar } from '../list/person-avatar.tsx'
import { LeaveQuestion } from '../say/leaving.tsx'
import { useAccount } from './account.tsx'
import { Mark } from './brand.tsx'
import { KeysContext, type PageKeys } from './keys.tsx'
import { Menu, type MenuEntry } from './menu.tsx'
import { icons } from './page-icons.ts'
import { Link, NavLink, useLocation } from './router.ts'
import { useShortcuts } from './shortcuts.ts'
import './shell.css'

const Bell = lazy(() => import('./bell.tsx'))
const TaskNotice = lazy(() => import('../say/task-notice.tsx'))
const Palette = lazy(() => import('./palette.tsx'))
const KeySheet = lazy(() => import('./key-sheet.tsx'))

/** The header, the top menu, the sidebar and the live connection, which stay mounted while pages change. */
export default function Shell({ children }: { children: ReactNode }) {
  const [isUp, setUp] = useState(true)
  useEffect(() => goLive(setUp), [])
  return (
    <Fluent>
      <Frame isUp={isUp}>{children}</Frame>
    </Fluent>
  )
}

function Frame({ isUp, children }: { isUp: boolean; children: ReactNode }) {
  const { t } = useTranslation(['shell', 'quick'])
  const person = usePerson()
  const { pathname } = useLocation()
  const page = pageAt(pathname)
  // Only administrators reach this group. The page for webhooks exists only if the server offers webhooks.
  const hasWebhooks = useRead('webhooks/show', page?.group === 'system' ? {} : null).data?.is_show
  const sidebar = (page ? sidebarOf(page, person) : []).filter(({ name }) => name !== 'application' || hasWebhooks)
  const { dialog, setDialog } = useShortcuts(person)
  const here = useRef<PageKeys>(undefined)
  const keys = useMemo(() => ({ here, show: () => setDialog('keys') }), [setDialog])
  const [isMenuOpen, setMenuOpen] = useState(false)
  const account = useAccount(isMenuOpen || dialog === 'palette')
  // Scrolls to the current page, because on a phone the sidebar is a row that may exceed the window.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page is elsewhere in the row, and a new entry moves it.
  useEffect(() => {
    const show = () =>
      document.querySelector('.sidebar [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
    show()
    addEventListener('resize', show)
    return () => removeEventListener('resize', show)
  }, [pathname, hasWebhooks])
  const entries = [
    ...singlePages(person).map(({ path, name }) => ({
      to: path,
      text: t(`nav.${name}`),
      Icon: icons[name],
      isHere: path === pathname,
    })),
    ...groups.flatMap((group: GroupName) => {
      const first = pagesOf(group, person)[0]
      if (!first) return []
      return [
        {
          to: first.path,
          text: t(`nav.group.${group}`),
          Icon: group === 'system' ? Settings : icons[first.name],
          isHere: page?.group === group,
        },
      ]
    }),
  ]
  return (
    <div className={sidebar.length > 0 ? 'shell with-sidebar' : 'shell'}>
      <a className="skip" href="#page">
        {t('skip')}
      </a>
      <header className="head">
        <Link className="home" to="/dashboard">
          <Mark />
          <span className="company">{person.company.name}</span>
        </Link>
        <nav className="top-menu" aria-label={t('nav.main')}>
          {entries.map(({ to, text, Icon, isHere }) => (
            <Link key={to} to={to} aria-current={isHere ? (to === pathname ? 'page' : 'true') : undefined}>
              <Icon className="icon" aria-hidden="true" />
              <span>{text}</span>
            </Link>
          ))}
        </nav>
        <div className="head-end">
          {!isUp && (
            <span className="offline" role="status">
              <WifiOff className="icon" aria-hidden="true" />
              <span>{t('offline')}</span>
            </span>
          )}
          <button
            type="button"
            className="bell"
            aria-haspopup="dialog"
            aria-label={t('quick:find.button')}
            aria-keyshortcuts="Control+K"
            title={t('quick:find.button')}
            onClick={() => setDialog('palette')}
          >
            <Search className="icon" aria-hidden="true" />
          </button>
          <Suspense fallback={<span className="bell" />}>
            <Bell />
          </Suspense>
          <PersonMenu entries={account.entries} onOpen={() => setMenuOpen(true)} />
        </div>
      </header>
      {sidebar.length > 0 && page && (
        <nav className="sidebar" aria-label={t(page.group ? `nav.group.${page.group}` : `nav.${page.name}`)}>
          {sidebar.map(({ path, name }) => {
            const Icon = icons[name]
            return (
              <NavLink key={path} to={path} end={name !== 'employee'}>
                <Icon className="icon" aria-hidden="true" />
                <span>{t(`nav.${name}`)}</span>
                {name === 'approve' && <WaitingCount />}
                {name === 'exception' && <ExceptionCount />}
              </NavLink>
            )
          })}
        </nav>
      )}
      <main id="page" tabIndex={-1}>
        <KeysContext value={keys}>{children}</KeysContext>
      </main>
      {person.type === 'management' && (
        <Suspense>
          <TaskNotice />
        </Suspense>
      )}
      {account.questions}
      <LeaveQuestion />
      <Suspense>
        {dialog === 'palette' && (
          <Palette account={account.entries} onKeys={() => setDialog('keys')} onClose={() => setDialog(undefined)} />
        )}
        {dialog === 'keys' && <KeySheet here={here.current} onClose={() => setDialog(undefined)} />}
      </Suspense>
    </div>
  )
}

/** The number of requests that wait for the user's decision. */
function WaitingCount() {
  const { t } = useTranslation('approve')
  const { data } = useRead('approve/count', {})
  return <NavCount count={data?.count} say={count => t('badge', { count })} />
}

/** The number of exceptions that the user can review. Each recalculated day may change it. */
function ExceptionCount() {
  const { t } = useTranslation('exception')
  const { data } = useRareRead('exception/count', {})
  return <NavCount count={data?.count} say={count => t('badge', { count })} />
}

function NavCount({ count = 0, say }: { count: number | undefined; say: (count: number) => string }) {
  if (count === 0) return null
  return (
    <span className="nav-count">
      <span aria-hidden="true">{count > 99 ? '99+' : count}</span>
      <span className="unseen">{say(count)}</span>
    </span>
  )
}

function PersonMenu({ entries, onOpen }: { entries: MenuEntry[]; onOpen: () => void }) {
  const { t } = useTranslation('profile')
  const { employee } = usePerson()
  return (
    <Menu className="person" label={t('menu.label')} entries={entries} onOpen={onOpen}>
      <PersonAvatar id={employee.id} person={employee} />
      <span className="name">{fullName(employee)}</span>
      <span className="unseen">{t('menu.label')}</span>
    </Menu>
  )
}
