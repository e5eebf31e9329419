import type { IncomingMessage, Server } from 'node:http'

/**
 * After an outage a fleet of terminals connects at once. Connections above the default backlog of 511 would be delayed by
 * seconds. The system may allow fewer.
 */
const backlog = 4096

/** Listens on this machine only and returns the port. Rejects with one sentence if it cannot. */
export const listen = (server: Server, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    server.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE')
        reject(new Error(`Port ${port} is in use: stop the program that uses it, or choose another port with --port.`))
      else if (error.code === 'EACCES')
        reject(new Error(`This user may not use port ${port}: choose a port above 1023 with --port.`))
      else reject(error)
    })
    server.listen({ port, host: '127.0.0.1', backlog }, () => {
      const address = server.address()
      resolve(typeof address === 'object' && address ? address.port : port)
    })
  })

/** The gateway stops reading here: a longer body is an attack or a mistake. */
const mostReadBytes = 64 * 1024 * 1024

/** Returns at most `most` bytes of the body and its size. It reads and discards the rest, so that the sender can read the answer. */
export const readBeginning = async (
  request: IncomingMessage,
  most: number,
): Promise<{ body: Buffer; sizeBytes: number }> => {
  const chunks: Buffer[] = []
  let sizeBytes = 0
  // The answer needs this connection, so leaving the loop must not destroy it.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    const room = most - sizeBytes
    if (room > 0) chunks.push(chunk.subarray(0, room))
    sizeBytes += chunk.length
    if (sizeBytes > mostReadBytes) break
  }
  return { body: Buffer.concat(chunks), sizeBytes }
}

/** Returns the whole body; undefined if it has more than `most` bytes. */
export const readBody = async (request: IncomingMessage, most: number): Promise<Buffer | undefined> => {
  const { body, sizeBytes } = await readBeginning(request, most)
  return sizeBytes > most ? undefined : body
}
