import {
  Building2,
  Calculator,
  CalendarClock,
  CalendarHeart,
  CalendarRange,
  CircleHelp,
  ClipboardCheck,
  ClipboardList,
  Clock,
  FileChartColumn,
  Fingerprint,
  Inbox,
  KeyRound,
  Languages,
  LayoutDashboard,
  ListChecks,
  LogOut,
  type LucideIcon,
  MoonStar,
  Network,
  RefreshCcw,
  ScanLine,
  ScrollText,
  Settings,
  ShieldCheck,
  SlidersHorizontal,
  Thermometer,
  TreePalm,
  TriangleAlert,
  UserRound,
  UsersRound,
  Webhook as WebhookIcon,
  WifiOff,
} from 'lucide-react'
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { roles } from '../../shared/permissions.ts'
import { call } from '../api.ts'
import { chooseLanguage, isLanguage, languages } from '../language.ts'
import { goLive } from '../live.ts'
import { type GroupName, groups, type Page, pages, pagesOf, singlePages } from '../pages.tsx'
import { useRead } from '../read.ts'
import { usePerson, useSession } from '../session.tsx'
import { chooseTheme, readTheme, themes } from '../theme.ts'
import { Ask } from './ask.tsx'
import { Avatar } from './avatar.tsx'
import { Mark } from './brand.tsx'
import { Fluent } from './fluent.tsx'
import { useComplaint } from './form.tsx'
import { Menu, type MenuEntry } from './menu.tsx'
import { PasswordChange } from './password-change.tsx'
import { Profile } from './profile.tsx'
import { Link, NavLink, useLocation, useNavigate } from './router.ts'
import './shell.css'

const Bell = lazy(() => import('./bell.tsx'))
const TaskNotice = lazy(() => import('./task-notice.tsx'))

const icons: Record<Page['name'], LucideIcon> = {
  dashboard: LayoutDashboard,
  timecard: CalendarClock,
  request: Inbox,
  guid: ListChecks,
  department: Network,
  employee: UsersRound,
  device: ScanLine,
  schedule: CalendarRange,
  shift: Clock,
  params: Calculator,
  record: Fingerprint,
  exception: TriangleAlert,
  temperature: Thermometer,
  report: FileChartColumn,
  company: Building2,
  basic: SlidersHorizontal,
  role: ShieldCheck,
  holiday: CalendarHeart,
  approve: ClipboardCheck,
  leave: TreePalm,
  requestParams: ClipboardList,
  audit: ScrollText,
  application: WebhookIcon,
}

/** The header, the top menu, the sidebar and the live line: what stays while pages change. */
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
  const { t } = useTranslation()
  const person = usePerson()
  const { pathname } = useLocation()
  const page = pages.find(({ path }) => path === pathname)
  // Only administrators get as far as this group, and only where the server offers it is there something to open.
  const offered = useRead('webhooks/show', page?.group === 'system' ? {} : null).data?.is_show
  const sidebar = (page?.group ? pagesOf(page.group, person) : []).filter(
    ({ name }) => name !== 'application' || offered,
  )
  // On a phone the pages of a group stand in a row that may be wider than the window.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page is another place, and one may have come beside.
  useEffect(() => {
    const here = document.querySelector('.sidebar [aria-current]')
    here?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [pathname, offered])
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
          <Suspense fallback={<span className="bell" />}>
            <Bell />
          </Suspense>
          <PersonMenu />
        </div>
      </header>
      {sidebar.length > 0 && page?.group && (
        <nav className="sidebar" aria-label={t(`nav.group.${page.group}`)}>
          {sidebar.map(({ path, name }) => {
            const Icon = icons[name]
            return (
              <NavLink key={path} to={path} end>
                <Icon className="icon" aria-hidden="true" />
                <span>{t(`nav.${name}`)}</span>
                {name === 'approve' && <WaitingCount />}
              </NavLink>
            )
          })}
        </nav>
      )}
      <main id="page" tabIndex={-1}>
        {children}
      </main>
      {person.type === 'management' && (
        <Suspense>
          <TaskNotice />
        </Suspense>
      )}
    </div>
  )
}

/** How many requests wait for who is signed in. */
function WaitingCount() {
  const { t } = useTranslation('approve')
  const { data } = useRead('approve/count', {})
  if (!data || data.count === 0) return null
  return (
    <span className="nav-count">
      <span aria-hidden="true">{data.count > 99 ? '99+' : data.count}</span>
      <span className="unseen">{t('badge', { count: data.count })}</span>
    </span>
  )
}

function PersonMenu() {
  const { t, i18n } = useTranslation(['profile', 'shell'])
  const person = usePerson()
  const { signOut, moveTo } = useSession()
  const complain = useComplaint()
  const navigate = useNavigate()
  const [open, setOpen] = useState(false)
  const [asking, setAsking] = useState<'leave' | 'password' | 'profile'>()
  const [theme, setTheme] = useState(readTheme)
  const isManagement = person.type === 'management'
  const companies = useRead('company/list', open && isManagement ? {} : null).data?.list ?? []
  const { first_name, last_name, role } = person.employee
  const mayManage = role > roles.none && role < roles.employee
  const leaveFor = (answer: Promise<{ token: string }>) => answer.then(({ token }) => moveTo(token)).catch(complain)
  const icon = { className: 'icon', 'aria-hidden': true } as const

  const entries: MenuEntry[] = [
    { key: 'profile', text: t('menu.profile'), icon: <UserRound {...icon} />, onPick: () => setAsking('profile') },
    { key: 'password', text: t('menu.password'), icon: <KeyRound {...icon} />, onPick: () => setAsking('password') },
    { key: 'help', text: t('shell:menu.help'), icon: <CircleHelp {...icon} />, onPick: () => navigate('/help') },
    {
      key: 'language',
      text: t('shell:menu.language'),
      icon: <Languages {...icon} />,
      divider: true,
      entries: Object.entries(languages).map(([key, text]) => ({
        key,
        text,
        checked: i18n.language === key,
        onPick: () => {
          if (isLanguage(key)) chooseLanguage(key)
        },
      })),
    },
    {
      key: 'theme',
      text: t('menu.theme'),
      icon: <MoonStar {...icon} />,
      entries: themes.map(key => ({
        key,
        text: t(`theme.${key}`),
        checked: theme === key,
        onPick: () => {
          chooseTheme(key)
          setTheme(key)
        },
      })),
    },
    ...(isManagement
      ? [
          {
            key: 'company',
            text: t('menu.company'),
            icon: <Building2 {...icon} />,
            entries: [
              ...companies.map(({ id, name }) => ({
                key: id,
                text: name,
                checked: id === person.company.id,
                onPick: () => leaveFor(call('company/select', { id })),
              })),
              { key: 'all', text: t('menu.companies'), onPick: () => navigate('/organization?choose') },
            ],
          },
        ]
      : []),
    ...(isManagement
      ? [
          {
            key: 'employee',
            text: t('menu.toEmployee'),
            icon: <RefreshCcw {...icon} />,
            onPick: () => leaveFor(call('personal/login/switch', {})),
          },
        ]
      : mayManage
        ? [
            {
              key: 'management',
              text: t('menu.toManagement'),
              icon: <RefreshCcw {...icon} />,
              onPick: () => leaveFor(call('user/login/switch', {})),
            },
          ]
        : []),
    {
      key: 'leave',
      text: t('menu.signOut'),
      icon: <LogOut {...icon} />,
      divider: true,
      onPick: () => setAsking('leave'),
    },
  ]

  return (
    <>
      <Menu className="person" label={t('menu.label')} entries={entries} onOpen={() => setOpen(true)}>
        <Avatar person={person.employee} />
        <span className="name">
          {first_name} {last_name}
        </span>
        <span className="unseen">{t('menu.label')}</span>
      </Menu>
      {asking === 'leave' && (
        <Ask
          title={t('signOut.title')}
          yes={t('menu.signOut')}
          no={t('shell:cancel')}
          onNo={() => setAsking(undefined)}
          onYes={signOut}
        >
          {t('signOut.text')}
        </Ask>
      )}
      {asking === 'profile' && <Profile onClose={() => setAsking(undefined)} />}
      {asking === 'password' && <PasswordChange onClose={() => setAsking(undefined)} />}
    </>
  )
}
