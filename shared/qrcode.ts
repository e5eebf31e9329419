import * as z from 'zod'
import { type Declarations, nothing } from './contract.ts'

export const qrcodePaths = {
  'qrcode/app_qrcode': {
    does: 'Returns the address of the employee sign-in with the company number filled in (`/login/employee?code=…`) for a QR code.',
    who: [3],
    input: nothing,
    output: z.object({ url: z.url() }),
  },
} as const satisfies Declarations
