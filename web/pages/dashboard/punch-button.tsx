import { CircleAlert, CircleCheck, Fingerprint } from 'lucide-react'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { isFault, type PathOutput, write } from '../../api.ts'
import { useFormats } from '../../format.ts'
import { useSentence } from '../../parts/field/form.tsx'
import { refresh, useRead } from '../../read.ts'

type PunchResult = PathOutput<'personal/punch/add'>

/** The time limit for finding the location. */
const placeMilliseconds = 15_000

/** The location of the browser. Undefined if the browser does not know it or the user denies access. */
const findPlace = () =>
  new Promise<GeolocationCoordinates | undefined>(resolve => {
    if (!navigator.geolocation) return resolve(undefined)
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => resolve(coords),
      () => resolve(undefined),
      { enableHighAccuracy: true, timeout: placeMilliseconds, maximumAge: 0 },
    )
  })

/** Adds a browser punch if the company allows it. Taps during a pending punch have no effect. */
export function PunchButton({ isAtWork }: { isAtWork: boolean }) {
  const { t } = useTranslation('personal')
  const formats = useFormats()
  const sentence = useSentence()
  const { data: rules } = useRead('personal/punch/get', {})
  const [busy, setBusy] = useState(false)
  /** A ref rather than state, because a second tap can arrive before the next render. */
  const isUnderWay = useRef(false)
  const [punchResult, setPunchResult] = useState<PunchResult>()
  const [fault, setFault] = useState<string>()
  if (!rules?.isAllowed) return null

  const punch = async () => {
    if (isUnderWay.current) return
    isUnderWay.current = true
    setBusy(true)
    setFault(undefined)
    setPunchResult(undefined)
    try {
      const place = rules.isPlaceAsked ? await findPlace() : undefined
      if (rules.isPlaceNeeded && !place) setFault(t('punch.noPlace'))
      else {
        const { latitude, longitude, accuracy } = place ?? {}
        setPunchResult(
          await write('personal/punch/add', {
            ...(latitude !== undefined && longitude !== undefined && { latitude, longitude }),
            ...(accuracy !== undefined && { accuracyMetres: Math.min(accuracy, 1_000_000) }),
          }),
        )
        refresh(['personal/'])
      }
    } catch (error) {
      if (!isFault(error)) throw error
      setFault(sentence(error.code, error.about))
      // The company may have changed its rules since the page was loaded.
      refresh(['personal/punch/'])
    } finally {
      isUnderWay.current = false
      setBusy(false)
    }
  }
  const time = punchResult && formats.time(punchResult.at, punchResult.timezone)
  return (
    <div className="punch">
      <button
        type="button"
        aria-disabled={busy || undefined}
        aria-busy={busy || undefined}
        onClick={() => void punch()}
      >
        {busy ? <span className="spinner" aria-hidden="true" /> : <Fingerprint className="icon" aria-hidden="true" />}
        {t(busy && rules.isPlaceAsked ? 'punch.locating' : isAtWork ? 'punch.out' : 'punch.in')}
      </button>
      <div role="status">
        {punchResult && (
          <p className="punch-done">
            <CircleCheck className="icon" aria-hidden="true" />
            <span>
              {t(punchResult.isRepeat ? 'punch.repeat' : 'punch.done', { time })}
              {punchResult.place !== undefined && ` · ${punchResult.place}`}
              {punchResult.isOutside && <span className="muted"> · {t('punch.outside')}</span>}
            </span>
          </p>
        )}
        {punchResult && !punchResult.isCounted && (
          <p className="notice warn">
            <CircleAlert className="icon" aria-hidden="true" /> {t('punch.notCounted')}
          </p>
        )}
      </div>
      {fault && (
        <p className="error-line" role="alert">
          <CircleAlert className="icon" aria-hidden="true" /> {fault}
        </p>
      )}
      {rules.isPlaceAsked && !punchResult && !fault && <p className="muted small">{t('punch.place')}</p>}
    </div>
  )
}
