import { useCallback } from 'react'
import { useTranslation } from 'react-i18next'
import { browserSn, managerSn, requestSn } from '../../../shared/punch.ts'

interface Made {
  device?: string | undefined
  deviceName?: string | undefined
}

/** Where a punch was made, as people call it: the terminal by its company's name while it has it, their own browser, or a request. */
export const useDeviceName = () => {
  const { t } = useTranslation('record')
  return useCallback(
    ({ device, deviceName }: Made) => {
      if (device === requestSn || device === managerSn) return t(`source.${device}`)
      return deviceName ?? (device === browserSn ? t('browser') : (device ?? ''))
    },
    [t],
  )
}
