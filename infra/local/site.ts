import { existsSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'

// The site is built when it is older than what it is made from.

const newest = (path: string): number => {
  if (!existsSync(path)) return 0
  const entry = statSync(path)
  if (!entry.isDirectory()) return entry.mtimeMs
  // A folder's own time tells of files that were removed.
  return Math.max(entry.mtimeMs, ...readdirSync(path).map(name => newest(join(path, name))))
}

/** Answers the folder of the built site, building it where it is missing or older than its sources. */
export const prepareSite = async (root: string, say: (line: string) => void): Promise<string> => {
  const site = join(root, '.build', 'site')
  const page = join(site, 'index.html')
  const sources = ['web', 'shared', 'vite.config.ts', 'package-lock.json'].map(name => newest(join(root, name)))
  if (existsSync(page) && statSync(page).mtimeMs >= Math.max(...sources)) return site
  say('the site is being built…')
  const startedAt = new Date()
  const half = `${site}.${process.pid}`
  const { build } = await import('vite')
  // Whoever runs this, a test for example, may have said otherwise for itself; what is built is always the real thing.
  process.env.NODE_ENV = 'production'
  try {
    await build({
      root: join(root, 'web'),
      configFile: join(root, 'vite.config.ts'),
      logLevel: 'error',
      build: { outDir: half },
    })
    // What changed while it was being built is newer than it.
    utimesSync(join(half, 'index.html'), startedAt, startedAt)
    rmSync(site, { recursive: true, force: true })
    renameSync(half, site)
  } catch (error) {
    rmSync(half, { recursive: true, force: true })
    throw new Error(`The site cannot be built: ${error instanceof Error ? error.message : error}`, { cause: error })
  }
  say(`the site is built (${((Date.now() - startedAt.getTime()) / 1000).toFixed(1)} s)`)
  return site
}
