import { hashPassword } from '../../functions/user/password.ts'
import { client, register } from '../kit/client.ts'
import { startStack } from '../kit/stack.ts'
import type { Report } from './main.ts'

// The time of a password hash, and whether the time of a refusal reveals an account. Unknown addresses alternate with a
// known address and a wrong password. Each guess comes from another address, so that the rate limit refuses no guess.

const rounds = 120
const secret = 'only the distribution knows it'

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

const time = async (run: () => Promise<unknown>) => {
  const startedAt = performance.now()
  await run()
  return performance.now() - startedAt
}

export const bench = async (report: Report) => {
  const hashes: number[] = []
  for (let i = 0; i < 40; i++) hashes.push(await time(() => hashPassword('Rhubarb#42')))
  report('a hash', median(hashes), 'ms')

  const stack = await startStack({ environment: { DISTRIBUTION_SECRET: secret } })
  try {
    const http = client(stack.address)
    const guess = (email: string, i: number) =>
      http.ask(
        'user/login',
        { email, password: 'Wrong#1' },
        {
          headers: {
            'x-distribution-secret': secret,
            'cloudfront-viewer-address': `10.0.${i % 250}.${1 + Math.floor(i / 250)}:50123`,
          },
        },
      )
    const times = { known: [] as number[], unknown: [] as number[] }
    let addressNumber = 0
    let email = ''
    for (let i = 0; i < rounds; i++) {
      // Registers a new account after some guesses, because many guesses slow the sign-in of an account down.
      if (i % 40 === 0) email = (await register(http)).email
      times.known.push(await time(() => guess(email, addressNumber++)))
      times.unknown.push(await time(() => guess(`nobody-${i}@example.com`, addressNumber++)))
    }
    report('a refusal of a known address', median(times.known), 'ms')
    report('of an unknown one', median(times.unknown), 'ms')
    const [fast = 0, slow = 0] = [median(times.known), median(times.unknown)].toSorted((a, b) => a - b)
    report('the slower to the quicker', slow / fast, 'times', { atMost: 1.1 })
  } finally {
    await stack.stop()
  }
}
