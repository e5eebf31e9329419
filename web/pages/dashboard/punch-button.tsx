import { CircleAlert, CircleCheck, Fingerprint } from 'lucide-react'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { isFault, type PathOutput, write } from '../../api.ts'
import { useFormats } from '../../format.ts'
import { useSentence } from '../../parts/field/form.tsx'
import { refresh, useRead } from '../../read.ts'

type Tapped = PathOutput<'personal/punch/add'>

/** A phone finds out within this, or it does not. */
const placeMilliseconds = 15_000

/** Where the browser is; undefined where it does not know or may not tell. */
const findPlace = () =>
  new Promise<GeolocationCoordinates | undefined>(resolve => {
    if (!navigator.geolocation) return resolve(undefined)
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => resolve(coords),
      () => resolve(undefined),
      { enableHighAccuracy: true, timeout: placeMilliseconds, maximumAge: 0 },
    )
  })

/** Punches in the browser where the company lets one. One tap is one punch, however often it is tapped while it is under way. */
export function PunchButton({ isAtWork }: { isAtWork: boolean }) {
  const { t } = useTranslation('personal')
  const formats = useFormats()
  const sentence = useSentence()
  const { data: rules } = useRead('personal/punch/get', {})
  const [busy, setBusy] = useState(false)
  /** Heard before anything is drawn: a second tap comes sooner than that. */
  const isUnderWay = useRef(false)
  const [tapped, setTapped] = useState<Tapped>()
  const [fault, setFault] = useState<string>()
  if (!rules?.isAllowed) return null

  const punch = async () => {
    if (isUnderWay.current) return
    isUnderWay.current = true
    setBusy(true)
    setFault(undefined)
    setTapped(undefined)
    try {
      const place = rules.isPlaceAsked ? await findPlace() : undefined
      if (rules.isPlaceNeeded && !place) setFault(t('punch.noPlace'))
      else {
        const { latitude, longitude, accuracy } = place ?? {}
        setTapped(
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
      // What is allowed may have changed meanwhile.
      refresh(['personal/punch/'])
    } finally {
      isUnderWay.current = false
      setBusy(false)
    }
  }
  const time = tapped && formats.time(tapped.at, tapped.timezone)
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
        {tapped && (
          <p className="punch-done">
            <CircleCheck className="icon" aria-hidden="true" />
            <span>
              {t(tapped.isRepeat ? 'punch.repeat' : 'punch.done', { time })}
              {tapped.place !== undefined && ` · ${tapped.place}`}
              {tapped.isOutside && <span className="muted"> · {t('punch.outside')}</span>}
            </span>
          </p>
        )}
      </div>
      {fault && (
        <p className="error-line" role="alert">
          <CircleAlert className="icon" aria-hidden="true" /> {fault}
        </p>
      )}
      {rules.isPlaceAsked && !tapped && !fault && <p className="muted small">{t('punch.place')}</p>}
    </div>
  )
}
