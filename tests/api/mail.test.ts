import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { noSender } from '../../shared/mail.ts'
import { keptMailTo } from '../kit/kept-mail.ts'
import { openWorld, type World } from '../kit/world.ts'

// A stage that sends no mail, for trials and tests.

let world: World
let sendMail: typeof import('../../functions/kit/mail.ts').sendMail

beforeAll(async () => {
  world = await openWorld()
  Object.assign(process.env, world.environment, {
    MAIL_FROM: noSender,
    AWS_ENDPOINT_URL_DYNAMODB: world.database.endpoint,
  })
  sendMail = (await import('../../functions/kit/mail.ts')).sendMail
})
afterAll(() => world.close())

test('a stage without a sender sends no mail, and keeps the last mail to each address for its operator', async () => {
  const to = `${randomUUID()}@example.com`
  await sendMail({ to, subject: 'Code', text: 'Your code is 111111' })
  await sendMail({ to, subject: 'Code', text: 'Your code is 222222' })
  expect(await keptMailTo(world.table, to)).toBe('Your code is 222222')
  expect(await keptMailTo(world.table, `other-${to}`)).toBe('no mail')
  expect(world.outbox.list()).toEqual([])
})
