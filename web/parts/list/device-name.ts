import { useCallback } from 'react'
import { useTranslation } from 'react-i18next'
import { browserSn, managerSn, requestSn, sampleSn } from '../../../shared/punch.ts'

interface PunchSource {
  device?: string | undefined
  deviceName?: string | undefined
}

/**
 * Names the source of a punch: the terminal, the browser, or a request. A terminal without a name shows its serial
 * number.
 */
export const useDeviceName = () => {
  const { t } = useTranslation('record')
  return useCallback(
    ({ device, deviceName }: PunchSource) => {
      if (device === requestSn || device === managerSn) return t(`source.${device}`)
      if (device === sampleSn) return t('sample')
      return deviceName ?? (device === browserSn ? t('browser') : (device ?? ''))
    },
    [t],
  )
}
