import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { vi } from 'vitest'

/**
 * Runs `action` right before the first table request that matches. An error of `action` fails the request. With
 * `isAlways`, runs before each matching request. Returns a function that returns whether `action` has run. Ends when
 * all mocks are restored.
 */
export const rightBefore = (
  matches: (input: string) => boolean,
  action: () => Promise<unknown>,
  { isAlways = false } = {},
): (() => boolean) => {
  const { send } = DynamoDBDocumentClient.prototype
  let isOver = false
  vi.spyOn(DynamoDBDocumentClient.prototype, 'send').mockImplementation(async function (
    this: DynamoDBDocumentClient,
    ...[command, ...options]: Parameters<typeof send>
  ) {
    if ((isAlways || !isOver) && matches(JSON.stringify(command.input))) {
      isOver = true
      await action()
    }
    return send.call(this, command, ...options)
  } as typeof send)
  return () => isOver
}
