import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { write } from '../../api.ts'
import { Button } from '../../parts/button.tsx'
import { Panel } from '../../parts/list/panel.tsx'
import { Trouble } from '../../parts/page.tsx'
import { RequestComments, RequestDetails } from '../../parts/request/details.tsx'
import { useRequestWords } from '../../parts/request/words.tsx'
import { Ask } from '../../parts/say/ask.tsx'
import { say } from '../../parts/say/toast.tsx'
import { refresh, useRead } from '../../read.ts'

/** The employee's own request with its comments. Shows a withdraw button while withdrawing is possible. */
export function RequestPanel({ id, onClose }: { id: string; onClose: () => void }) {
  const { t } = useTranslation('request')
  const words = useRequestWords()
  const { data, error, readAgain } = useRead('personal/request/get', { id })
  const [isAsking, setAsking] = useState(false)
  const isApproved = data?.status === 1
  const cancel = async () => {
    try {
      await write('personal/request/cancel', { id })
      say(t(isApproved ? 'cancel.approvedDone' : 'cancel.done'))
    } finally {
      refresh(['personal/'])
    }
    setAsking(false)
  }
  const comment = async (text: string) => {
    await write('personal/request/comment/add', { id, text })
    refresh(['personal/request/'])
  }
  return (
    <Panel
      title={data ? words.what(data) : t('title')}
      onClose={onClose}
      foot={
        data?.mayCancel && (
          <Button look="danger-quiet" onClick={() => setAsking(true)}>
            {t(isApproved ? 'cancel.approvedButton' : 'cancel.button')}
          </Button>
        )
      }
    >
      <div className="panel-body request-panel" aria-busy={!data && !error}>
        {error && !data ? (
          <Trouble error={error} onRetry={() => void readAgain()} />
        ) : data ? (
          <>
            <RequestDetails request={data} />
            <RequestComments comments={data.comments} onAdd={comment} />
          </>
        ) : (
          [70, 100, 90, 60].map(width => (
            <span key={width} className="skeleton" style={{ width: `${width}%`, height: 16 }} />
          ))
        )}
      </div>
      {isAsking && data && (
        <Ask
          title={t(isApproved ? 'cancel.approvedTitle' : 'cancel.title')}
          yes={t(isApproved ? 'cancel.approvedButton' : 'cancel.button')}
          no={t('cancel.no')}
          danger
          onYes={cancel}
          onNo={() => setAsking(false)}
        >
          {t(isApproved ? 'cancel.approved' : 'cancel.pending')}
        </Ask>
      )}
    </Panel>
  )
}
