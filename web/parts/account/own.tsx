import { useRead } from '../../read.ts'
import { AccountCard } from './account.tsx'

/** The user's own time account, in brief only the last months. Nothing without one. */
export function OwnAccount({ isBrief = false }: { isBrief?: boolean }) {
  const { data } = useRead('personal/account', {})
  return data?.account ? <AccountCard account={data.account} isBrief={isBrief} /> : null
}
