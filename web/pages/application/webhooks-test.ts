import { write } from '../../api.ts'
import { useComplaint } from '../../parts/field/form.tsx'
import { usePageNavigate } from '../../parts/shell/router.ts'
import { refresh } from '../../read.ts'

/** The page address of a delivery. */
export const deliveryAddress = (endpoint: string, delivery: string) =>
  `/system/Application?endpoint=${endpoint}&delivery=${delivery}`

/** Sends a test event and opens its delivery. Returns whether the server accepted the test. */
export const useTest = () => {
  const complain = useComplaint()
  const navigate = usePageNavigate()
  return async (id: string) => {
    try {
      const { delivery } = await write('webhooks/endpoint/test', { id })
      refresh(['webhooks/log'])
      navigate(deliveryAddress(id, delivery))
      return true
    } catch (error) {
      complain(error)
      return false
    }
  }
}
