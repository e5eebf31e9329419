import { useTranslation } from 'react-i18next'
import { PreviewAsk } from '../../parts/day/preview.tsx'
import { Ask } from '../../parts/say/ask.tsx'
import type { OverLeave } from './paint.ts'
import type { useSave } from './save.tsx'
import { WarningList, type Warnings } from './warning.tsx'

// The confirmations before a change of saved or past days.

export type Question = 'replace' | 'takeBack' | 'past' | 'warnings'

export function Questions(props: {
  asking: Question | undefined
  onAsk: (question: Question | undefined) => void
  save: ReturnType<typeof useSave>
  changedDays: number
  replacedDays: number
  warnings: Warnings
  onSaveSeen: () => void
  overLeave: OverLeave | undefined
  onOpenPast: () => void
  onTakeBack: () => Promise<void>
}) {
  const { t } = useTranslation(['schedule', 'shell'])
  const { asking, onAsk, save } = props
  const no = t('shell:cancel')
  const closeAfter = (act: () => void | Promise<void>) => async () => {
    await act()
    onAsk(undefined)
  }
  const leave = () => onAsk(undefined)
  return (
    <>
      {save.previewing && (
        <PreviewAsk
          key={save.previewing.task}
          title={t('past.title')}
          task={save.previewing.task}
          yes={t('past.yes')}
          onYes={save.agree}
          onNo={save.refuse}
        >
          {t('past.text')}
        </PreviewAsk>
      )}
      {asking === 'past' && (
        <Ask
          title={t('past.open.title')}
          yes={t('past.open.yes')}
          no={no}
          onYes={closeAfter(props.onOpenPast)}
          onNo={leave}
        >
          {t('past.open.text')}
        </Ask>
      )}
      {asking === 'takeBack' && (
        <Ask
          title={t('takeBack.title')}
          yes={t('takeBack.yes')}
          no={no}
          onYes={closeAfter(props.onTakeBack)}
          onNo={leave}
        >
          {t('takeBack.text', { count: save.savedCount })}
        </Ask>
      )}
      {props.overLeave && <OverLeaveAsk {...props.overLeave} />}
      {asking === 'warnings' && (
        <Ask
          title={t('warnings.saveTitle')}
          yes={t('warnings.saveYes')}
          no={no}
          onYes={() => {
            onAsk(undefined)
            props.onSaveSeen()
          }}
          onNo={leave}
        >
          <WarningList warnings={props.warnings} />
        </Ask>
      )}
      {asking === 'replace' && (
        <Ask
          title={t('replace.title')}
          yes={t('replace.yes')}
          no={no}
          onYes={closeAfter(() => save.begin())}
          onNo={leave}
        >
          {t('replace.text', { count: props.replacedDays, days: t('selection.days', { count: props.changedDays }) })}
        </Ask>
      )}
    </>
  )
}

/** Asks before the board assigns shifts during approved leave. */
function OverLeaveAsk({ people, dayCount, hasOthers, assign, cancel }: OverLeave) {
  const { t } = useTranslation(['schedule', 'shell'])
  const days = t('selection.days', { count: dayCount })
  const [name] = people
  return (
    <Ask
      title={t('overLeave.title')}
      yes={t('overLeave.yes')}
      no={t('shell:cancel')}
      other={hasOthers ? { text: t('overLeave.others'), onClick: () => assign(false) } : undefined}
      onYes={() => assign(true)}
      onNo={cancel}
    >
      {people.length === 1
        ? t('overLeave.one', { name, days })
        : t('overLeave.many', { people: t('selection.people', { count: people.length }), days })}
    </Ask>
  )
}
