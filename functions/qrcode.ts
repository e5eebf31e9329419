import { qrcodePaths } from '../shared/qrcode.ts'
import { readCompany } from './company/store.ts'
import { environment } from './kit/environment.ts'
import { lambda } from './kit/lambda.ts'

export const handler = lambda(qrcodePaths, {
  'qrcode/app_qrcode': async (_, caller) => ({
    url: `${environment('SITE')}/login/employee?code=${(await readCompany(caller)).company_num}`,
  }),
})
