import type { IncomingMessage, Server } from 'node:http'

/**
 * The length of the accept queue. After an outage many terminals connect at once. With the default of 511, further
 * connections would wait for seconds. The operating system may allow fewer.
 */
const backlog = 4096

/** Listens on this machine only and returns the port. If listening fails, rejects with one sentence. */
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

/** The gateway stops reading here. A longer body is an attack or a mistake. */
const mostReadBytes = 64 * 1024 * 1024

/**
 * Returns the body's first `most` bytes and its size. Reads and discards the rest, so that the sender can read the
 * response.
 */
export const readBeginning = async (
  request: IncomingMessage,
  most: number,
): Promise<{ body: Buffer; sizeBytes: number }> => {
  const chunks: Buffer[] = []
  let sizeBytes = 0
  // The response needs this connection, so the end of the loop must not destroy the connection.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    const room = most - sizeBytes
    if (room > 0) chunks.push(chunk.subarray(0, room))
    sizeBytes += chunk.length
    if (sizeBytes > mostReadBytes) break
  }
  return { body: Buffer.concat(chunks), sizeBytes }
}

/** Returns the whole body; undefined if the body has more than `most` bytes. */
export const readBody = async (request: IncomingMessage, most: number): Promise<Buffer | undefined> => {
  const { body, sizeBytes } = await readBeginning(request, most)
  return sizeBytes > most ? undefined : body
}
