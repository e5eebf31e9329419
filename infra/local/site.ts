import { existsSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'

// Builds the site if it is older than its sources.

const newest = (path: string): number => {
  if (!existsSync(path)) return 0
  const entry = statSync(path)
  if (!entry.isDirectory()) return entry.mtimeMs
  // Removing a file changes the time of its folder.
  return Math.max(entry.mtimeMs, ...readdirSync(path).map(name => newest(join(path, name))))
}

/** Returns the folder of the built site. Builds the site if it is missing or older than its sources. */
export const prepareSite = async (root: string, say: (line: string) => void): Promise<string> => {
  const site = join(root, '.build', 'local-site')
  const page = join(site, 'index.html')
  const sources = ['web', 'shared', 'vite.config.ts', 'package-lock.json'].map(name => newest(join(root, name)))
  if (existsSync(page) && statSync(page).mtimeMs >= Math.max(...sources)) return site
  say('building the site…')
  const startedAt = new Date()
  const partial = `${site}.${process.pid}`
  const { build } = await import('vite')
  // The caller, such as a test, may have set another value. The build is always a production build.
  process.env.NODE_ENV = 'production'
  // Only this build contains the sign-ins of the demo company.
  process.env.VITE_DEMO = 'on'
  try {
    await build({
      root: join(root, 'web'),
      configFile: join(root, 'vite.config.ts'),
      logLevel: 'error',
      build: { outDir: partial },
    })
    // Sets the file's time to the build's start, so that sources changed during the build count as newer.
    utimesSync(join(partial, 'index.html'), startedAt, startedAt)
    rmSync(site, { recursive: true, force: true })
    renameSync(partial, site)
  } catch (error) {
    rmSync(partial, { recursive: true, force: true })
    throw new Error(`The site cannot be built: ${error instanceof Error ? error.message : error}`, { cause: error })
  }
  say(`built the site in ${((Date.now() - startedAt.getTime()) / 1000).toFixed(1)} s`)
  return site
}
