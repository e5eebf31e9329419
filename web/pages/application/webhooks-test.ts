import { write } from '../../api.ts'
import { useComplaint } from '../../parts/field/form.tsx'
import { usePageNavigate } from '../../parts/shell/router.ts'
import { refresh } from '../../read.ts'

/** Where a delivery is looked at. */
export const deliveryAddress = (endpoint: string, delivery: string) =>
  `/system/application?endpoint=${endpoint}&delivery=${delivery}`

/** Sends a test, and goes to where one sees what becomes of it; answers whether it was sent. */
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
