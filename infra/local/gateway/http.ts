import type { IncomingMessage, Server } from 'node:http'

/** A fleet of terminals comes at once after an outage; whom the usual 511 do not take is heard seconds later. The system may allow fewer. */
const backlog = 4096

/** Listens on this machine alone and answers the port; rejects with one sentence where it cannot. */
export const listen = (server: Server, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    server.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE')
        reject(new Error(`Port ${port} is in use: stop what runs there, or choose another one with --port.`))
      else if (error.code === 'EACCES')
        reject(new Error(`Port ${port} may not be used by this user: choose one above 1023 with --port.`))
      else reject(error)
    })
    server.listen({ port, host: '127.0.0.1', backlog }, () => {
      const address = server.address()
      resolve(typeof address === 'object' && address ? address.port : port)
    })
  })

/** A sender that goes on for longer does not want to hear the answer. */
const mostReadBytes = 64 * 1024 * 1024

/**
 * At most `most` bytes of the body, and how many came. What is too much is read and thrown away, so that the sender gets to
 * hear the answer.
 */
export const readBeginning = async (
  request: IncomingMessage,
  most: number,
): Promise<{ body: Buffer; sizeBytes: number }> => {
  const chunks: Buffer[] = []
  let sizeBytes = 0
  // The caller answers over the same connection.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    const room = most - sizeBytes
    if (room > 0) chunks.push(chunk.subarray(0, room))
    sizeBytes += chunk.length
    if (sizeBytes > mostReadBytes) break
  }
  return { body: Buffer.concat(chunks), sizeBytes }
}

/** The whole body; undefined where it has more than `most` bytes. */
export const readBody = async (request: IncomingMessage, most: number): Promise<Buffer | undefined> => {
  const { body, sizeBytes } = await readBeginning(request, most)
  return sizeBytes > most ? undefined : body
}
