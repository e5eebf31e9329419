import { useTranslation } from 'react-i18next'
import { PreviewAsk } from '../../parts/day/preview.tsx'
import { Ask } from '../../parts/say/ask.tsx'
import type { useSave } from './save.tsx'

// The confirmations before a change of saved or past days.

export type Question = 'replace' | 'takeBack' | 'past'

export function Questions(props: {
  asking: Question | undefined
  onAsk: (question: Question | undefined) => void
  save: ReturnType<typeof useSave>
  replacedDays: number
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
      {asking === 'replace' && (
        <Ask
          title={t('replace.title')}
          yes={t('replace.yes')}
          no={no}
          onYes={closeAfter(() => save.begin())}
          onNo={leave}
        >
          {t('replace.text', { count: props.replacedDays })}
        </Ask>
      )}
    </>
  )
}
