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

/**
 * The whole body; undefined where it has more than `most` bytes. What is too much is read and thrown away, so that the
 * sender gets to hear the answer; beyond ten megabytes it is not.
 */
export const readBody = async (request: IncomingMessage, most: number): Promise<Buffer | undefined> => {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size <= most) chunks.push(chunk)
    else if (size > 10 * 1024 * 1024) break
  }
  return size > most ? undefined : Buffer.concat(chunks)
}
