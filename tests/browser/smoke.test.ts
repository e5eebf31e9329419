import { spawnSync } from 'node:child_process'
import { expect, test } from '@playwright/test'

test('the smoke check of a deployment passes on the local stack', () => {
  const { status, stdout } = spawnSync(process.execPath, ['tests/smoke.ts', String(process.env.SITE_ADDRESS)], {
    encoding: 'utf8',
  })
  expect(stdout).not.toContain('✗')
  expect(status).toBe(0)
})
