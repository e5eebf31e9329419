import { spawnSync } from 'node:child_process'
import { expect, test } from '@playwright/test'

test('what is looked at after a deployment is in order here as well', () => {
  const { status, stdout } = spawnSync(process.execPath, ['tests/smoke.ts', String(process.env.SITE_ADDRESS)], {
    encoding: 'utf8',
  })
  expect(stdout).not.toContain('✗')
  expect(status).toBe(0)
})
