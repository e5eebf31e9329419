import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format.ts'
import { useDepartments } from '../../parts/list/departments.ts'
import { deviceLanguages } from './form.tsx'
import { type Device, useDrift } from './words.tsx'

/** The data that the terminal reports, and the company's settings for it. */
export function DeviceAbout({ device }: { device: Device }) {
  const { t } = useTranslation(['device', 'shell'])
  const formats = useFormats()
  const driftOf = useDrift()
  const { nameOf } = useDepartments()
  const { driftSeconds, voice = 3, language = 0, authentication = 'claim+path' } = device
  const moment = (at: string | undefined) => (at ? formats.dayAndTime(at) : t('never'))
  const none = t('shell:none')
  const facts = {
    says: [
      [t('model'), device.model ?? none],
      [t('firmware'), device.firmware ?? none],
      [t('serialNumber'), device.serialNumber],
      [t('protocol.label'), device.protocol ? t(`protocol.${device.protocol}`) : none],
      [t('profile'), device.profile ?? none],
      [t('chip'), device.cpusn ?? none],
      [t('mac'), device.mac ?? none],
      [t('ip'), device.ip ?? none],
      [t('clock'), driftSeconds === undefined ? none : driftOf(driftSeconds)],
    ],
    decided: [
      [t('department'), nameOf(device.department)],
      [t('timezone'), device.timezone ?? t('companyZone')],
      [t('voice'), formats.number(voice)],
      [t('language'), deviceLanguages[language] ?? none],
      [t('authentication.label'), t(`authentication.${authentication}.name`)],
      [t('registeredAt'), moment(device.registeredAt)],
      [t('firstOnline'), moment(device.firstOnlineAt)],
      [t('lastSeen'), moment(device.lastSeenAt)],
    ],
  }
  return (
    <div className="device-body device-about">
      {(['says', 'decided'] as const).map(group => (
        <section key={group} className="card">
          <h2>{t(`about.${group}`)}</h2>
          <dl>
            {facts[group].map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd className="figure">{value}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </div>
  )
}
