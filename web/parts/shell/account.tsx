import {
  Building2,
  CircleHelp,
  KeyRound,
  Languages,
  ListChecks,
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
import { discardAll, hasUnsaved } from '../say/leaving.tsx'
import type { MenuEntry } from './menu.tsx'
import { PasswordChange } from './password-change.tsx'
import { Profile } from './profile.tsx'
import { useNavigate } from './router.ts'

/**
 * The entries of the user's menu, and the dialogs that they open. The palette offers the same entries. Reads the
 * companies only while `wanted` is true.
 */
export function useAccount(wanted: boolean) {
  const { t, i18n } = useTranslation(['profile', 'shell'])
  const person = usePerson()
  const { signOut, moveTo } = useSession()
  const complain = useComplaint()
  const navigate = useNavigate()
  const [dialog, setDialog] = useState<'leave' | 'password' | 'profile'>()
  const [theme, setTheme] = useState(readTheme)
  const [rows, setRows] = useState(readRows)
  const isManagement = person.type === 'management'
  const managed = useRead('company/list', wanted && isManagement ? {} : null).data?.list
  const worked = useRead('personal/company/list', wanted && !isManagement ? {} : null).data?.list
  const companies = managed ?? worked ?? []
  const { role } = person.employee
  const mayManage = role > roles.none && role < roles.employee
  const switchTo = (answer: Promise<{ token: string }>) => answer.then(({ token }) => moveTo(token)).catch(complain)
  /** Changes the language of the site at once. The server stores it for future mails. */
  const changeLanguage = async (language: Language) => {
    await chooseLanguage(language)
    const { first_name, last_name, tel = '' } = await call('user/employee', {})
    await write('personal/update', { first_name, last_name, language, ...withoutEmpty({ tel }) })
  }
  const icon = { className: 'icon', 'aria-hidden': true } as const
  /** Menu entries for a choice. The chosen entry has a check mark. */
  const choice = <K extends string>(
    keys: readonly K[],
    text: (key: K) => string,
    chosen: string,
    pick: (key: K) => void,
  ) => keys.map(key => ({ key, text: text(key), checked: key === chosen, onPick: () => pick(key) }))

  const entries: MenuEntry[] = [
    { key: 'profile', text: t('menu.profile'), icon: <UserRound {...icon} />, onPick: () => setDialog('profile') },
    { key: 'password', text: t('menu.password'), icon: <KeyRound {...icon} />, onPick: () => setDialog('password') },
    { key: 'help', text: t('shell:menu.help'), icon: <CircleHelp {...icon} />, onPick: () => navigate('/help') },
    ...(isManagement
      ? [{ key: 'guid', text: t('shell:nav.guid'), icon: <ListChecks {...icon} />, onPick: () => navigate('/guid') }]
      : []),
    {
      key: 'language',
      text: t('shell:menu.language'),
      icon: <Languages {...icon} />,
      divider: true,
      entries: choice(
        Object.keys(languages).filter(isLanguage),
        key => languages[key],
        i18n.language,
        key => changeLanguage(key).catch(complain),
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
    // Most employees work in one company only.
    ...(isManagement || companies.length > 1
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
                onPick: () =>
                  switchTo(isManagement ? call('company/select', { id }) : call('personal/company/select', { id })),
              })),
              ...(isManagement
                ? [{ key: 'all', text: t('menu.companies'), onPick: () => navigate('/organization?choose') }]
                : []),
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
            onPick: () => switchTo(call('personal/login/switch', {})),
          },
        ]
      : mayManage
        ? [
            {
              key: 'management',
              text: t('menu.toManagement'),
              icon: <RefreshCcw {...icon} />,
              onPick: () => switchTo(call('user/login/switch', {})),
            },
          ]
        : []),
    {
      key: 'leave',
      text: t('menu.signOut'),
      icon: <LogOut {...icon} />,
      divider: true,
      onPick: () => setDialog('leave'),
    },
  ]

  const questions = (
    <>
      {dialog === 'leave' && (
        <Ask
          title={t('signOut.title')}
          yes={t('menu.signOut')}
          no={t('shell:cancel')}
          onNo={() => setDialog(undefined)}
          danger={hasUnsaved()}
          onYes={() => {
            // Otherwise the browser would ask again, after the session has ended.
            discardAll()
            return signOut()
          }}
        >
          {hasUnsaved() ? t('signOut.unsaved') : t('signOut.text')}
        </Ask>
      )}
      {dialog === 'profile' && <Profile onClose={() => setDialog(undefined)} />}
      {dialog === 'password' && <PasswordChange onClose={() => setDialog(undefined)} />}
    </>
  )
  return { entries, questions }
}
