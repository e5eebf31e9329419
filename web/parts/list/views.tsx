import { Bookmark, ChevronDown, Pencil, RefreshCw, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { mostNameLetters } from '../../../shared/saved-view-limit.ts'
import { type PathOutput, write } from '../../api.ts'
import { refresh } from '../../read.ts'
import { Button } from '../button.tsx'
import { useAddress } from '../field/address.ts'
import { TextField } from '../field/field.tsx'
import { Empty } from '../page.tsx'
import { Ask, overPage } from '../say/ask.tsx'
import { say } from '../say/toast.tsx'
import { Menu } from '../shell/menu.tsx'
import { useListChoices } from './choices.ts'
import { Panel } from './panel.tsx'
import type { DayRange } from './range.tsx'
import { changesOf, isShown, queryOf } from './view-query.ts'
import './views.css'

type View = PathOutput<'user/view/all'>['views'][number]

interface ViewsProps {
  /** The list to which the views belong. */
  list: string
  /** The filters in the address, and what else a view keeps, such as a tab. */
  names: readonly string[]
  range?: DayRange | undefined
}

/** A menu of the saved filters of a list, which also saves the present filters under a name. */
export function Views({ list, names, range }: ViewsProps) {
  const { t } = useTranslation()
  const { address, set } = useAddress()
  const [open, setOpen] = useState<'save' | 'manage'>()
  const views = useListChoices()?.views.filter(view => view.list === list) ?? []
  const query = queryOf(address, names, range)
  const isUsual = isShown('', address, names, range)
  const shown = isUsual ? undefined : views.find(view => isShown(view.query, address, names, range))
  const show = (query: string) => set(changesOf(query, names, range), true)
  return (
    <>
      <Menu
        className={shown ? 'button views-button is-set' : 'button views-button'}
        label={t('views.label')}
        entries={[
          { key: 'usual', text: t('views.usual'), checked: isUsual, onPick: () => show('') },
          ...views.map((view, i) => ({
            ...{ key: `view ${view.name}`, text: view.name, divider: i === 0 },
            ...{ checked: view === shown, onPick: () => show(view.query) },
          })),
          { key: 'save', text: t('views.save'), divider: true, onPick: () => setOpen('save') },
          ...(views.length > 0 ? [{ key: 'manage', text: t('views.manage'), onPick: () => setOpen('manage') }] : []),
        ]}
      >
        <Bookmark className="icon" aria-hidden="true" />
        <span>{shown?.name ?? t('views.label')}</span>
        <ChevronDown className="icon" aria-hidden="true" />
      </Menu>
      {open === 'save' &&
        overPage(
          isUsual ? (
            <Ask
              title={t('views.save')}
              yes={t('views.understood')}
              no={t('cancel')}
              onYes={() => setOpen(undefined)}
              onNo={() => setOpen(undefined)}
            >
              <p>{t('views.noFilter')}</p>
            </Ask>
          ) : (
            <NameQuestion
              title={t('views.save')}
              onName={async name => {
                await write('user/view/save', { list, name, query })
                say(t('views.saved', { name }))
              }}
              onClose={() => setOpen(undefined)}
            />
          ),
        )}
      {open === 'manage' && (
        <ViewPanel views={views} query={isUsual ? '' : query} shown={shown} onClose={() => setOpen(undefined)} />
      )}
    </>
  )
}

/** Asks for the name of a view. A refused name stays in the field, with the reason. */
function NameQuestion(props: {
  title: string
  name?: string
  onName: (name: string) => Promise<void>
  onClose: () => void
}) {
  const { t } = useTranslation()
  const [name, setName] = useState(props.name ?? '')
  return (
    <Ask
      title={props.title}
      yes={t('save')}
      no={t('cancel')}
      waits={name.trim() === ''}
      onYes={async () => {
        await props.onName(name.trim())
        refresh(['user/view/'])
        props.onClose()
      }}
      onNo={props.onClose}
    >
      <TextField label={t('views.name')} value={name} onText={setName} maxLength={mostNameLetters} autoFocus />
    </Ask>
  )
}

/** Renames, replaces and deletes the views of a list. */
function ViewPanel(props: { views: readonly View[]; query: string; shown: View | undefined; onClose: () => void }) {
  const { t } = useTranslation()
  const { views, query, shown, onClose } = props
  const [asked, setAsked] = useState<{ what: 'rename' | 'replace' | 'delete'; view: View }>()
  const close = () => setAsked(undefined)
  return (
    <Panel title={t('views.manage')} onClose={onClose}>
      <div className="panel-body">
        {views.length === 0 ? (
          <Empty icon={<Bookmark />} title={t('views.none')}>
            {t('views.noneText')}
          </Empty>
        ) : (
          <ul className="view-list">
            {views.map(view => (
              <li key={view.name}>
                <strong>{view.name}</strong>
                {(['rename', 'replace', 'delete'] as const)
                  .filter(what => what !== 'replace' || (query !== '' && view !== shown))
                  .map(what => (
                    <Button
                      key={what}
                      look="quiet"
                      square
                      aria-label={t(`views.${what}`, { name: view.name })}
                      title={t(`views.${what}`, { name: view.name })}
                      icon={icons[what]}
                      onClick={() => setAsked({ what, view })}
                    />
                  ))}
              </li>
            ))}
          </ul>
        )}
      </div>
      {asked && overPage(<ViewQuestion {...asked} query={query} onClose={close} />)}
    </Panel>
  )
}

const icons = {
  rename: <Pencil className="icon" aria-hidden="true" />,
  replace: <RefreshCw className="icon" aria-hidden="true" />,
  delete: <Trash2 className="icon" aria-hidden="true" />,
}

function ViewQuestion(props: {
  what: 'rename' | 'replace' | 'delete'
  view: View
  query: string
  onClose: () => void
}) {
  const { t } = useTranslation()
  const { what, view, query, onClose } = props
  const { list, name } = view
  if (what === 'rename')
    return (
      <NameQuestion
        title={t('views.rename', { name })}
        name={name}
        onName={async next => {
          await write('user/view/save', { ...view, name: next, former: name })
        }}
        onClose={onClose}
      />
    )
  return (
    <Ask
      title={t(`views.${what}`, { name })}
      yes={t(what === 'delete' ? 'delete' : 'views.replaceYes')}
      no={t('cancel')}
      danger={what === 'delete'}
      onYes={async () => {
        if (what === 'delete') await write('user/view/delete', { list, name })
        else await write('user/view/save', { list, name, query, former: name })
        refresh(['user/view/'])
        onClose()
      }}
      onNo={onClose}
    >
      <p>{t(`views.${what}Text`)}</p>
    </Ask>
  )
}
