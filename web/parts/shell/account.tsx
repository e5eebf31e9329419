import {
  Building2,
  CircleHelp,
  KeyRound,
  Languages,
  LogOut,
  MoonStar,
  RefreshCcw,
  Rows3,
  UserRound,
} from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { roles } from '../../../shared/permissions.ts'
import { call, write } from '../../api.ts'
import { chooseLanguage, isLanguage, type Language, languages } from '../../language.ts'
import { useRead } from '../../read.ts'
import { usePerson, useSession } from '../../session.tsx'
import { chooseRows, chooseTheme, readRows, readTheme, rowHeights, themes } from '../../theme.ts'
import { withoutEmpty } from '../../without-empty.ts'
import { useComplaint } from '../field/form.tsx'
import { Ask } from '../say/ask.tsx'
import type { MenuEntry } from './menu.tsx'
import { PasswordChange } from './password-change.tsx'
import { Profile } from './profile.tsx'
import { useNavigate } from './router.ts'

/**
 * What one can do about oneself and the site: the menu at one's name, which the palette offers too, and what it asks. The
 * companies are read once they are `wanted`.
 */
export function useAccount(wanted: boolean) {
  const { t, i18n } = useTranslation(['profile', 'shell'])
  const person = usePerson()
  const { signOut, moveTo } = useSession()
  const complain = useComplaint()
  const navigate = useNavigate()
  const [asking, setAsking] = useState<'leave' | 'password' | 'profile'>()
  const [theme, setTheme] = useState(readTheme)
  const [rows, setRows] = useState(readRows)
  const isManagement = person.type === 'management'
  const companies = useRead('company/list', wanted && isManagement ? {} : null).data?.list ?? []
  const { role } = person.employee
  const mayManage = role > roles.none && role < roles.employee
  const leaveFor = (answer: Promise<{ token: string }>) => answer.then(({ token }) => moveTo(token)).catch(complain)
  /** Everything is in the language at once, and so are the mails that come. */
  const choose = async (language: Language) => {
    await chooseLanguage(language)
    const { first_name, last_name, tel = '' } = await call('user/employee', {})
    await write('personal/update', { first_name, last_name, language, ...withoutEmpty({ tel }) })
  }
  const icon = { className: 'icon', 'aria-hidden': true } as const
  /** A menu of which one entry is in force. */
  const choice = <K extends string>(
    keys: readonly K[],
    text: (key: K) => string,
    chosen: string,
    pick: (key: K) => void,
  ) => keys.map(key => ({ key, text: text(key), checked: key === chosen, onPick: () => pick(key) }))

  const entries: MenuEntry[] = [
    { key: 'profile', text: t('menu.profile'), icon: <UserRound {...icon} />, onPick: () => setAsking('profile') },
    { key: 'password', text: t('menu.password'), icon: <KeyRound {...icon} />, onPick: () => setAsking('password') },
    { key: 'help', text: t('shell:menu.help'), icon: <CircleHelp {...icon} />, onPick: () => navigate('/help') },
    {
      key: 'language',
      text: t('shell:menu.language'),
      icon: <Languages {...icon} />,
      divider: true,
      entries: choice(
        Object.keys(languages).filter(isLanguage),
        key => languages[key],
        i18n.language,
        key => choose(key).catch(complain),
      ),
    },
    {
      key: 'theme',
      text: t('menu.theme'),
      icon: <MoonStar {...icon} />,
      entries: choice(
        themes,
        key => t(`theme.${key}`),
        theme,
        key => {
          chooseTheme(key)
          setTheme(key)
        },
      ),
    },
    {
      key: 'rows',
      text: t('menu.rows'),
      icon: <Rows3 {...icon} />,
      entries: choice(
        rowHeights,
        key => t(`rows.${key}`),
        rows,
        key => {
          chooseRows(key)
          setRows(key)
        },
      ),
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

  const questions = (
    <>
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
  return { entries, questions }
}
