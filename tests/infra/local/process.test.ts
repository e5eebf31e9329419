import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { posix, win32 } from 'node:path'
import { describe, expect, test } from 'vitest'
import { placeInSite } from '../../../infra/local/gateway.ts'
import {
  endProcess,
  namesFolder,
  processQuery,
  readProcess,
  readProcessLine,
  readProcFiles,
} from '../../../infra/local/process.ts'
import { isAlive } from '../../../infra/local/terminal/process.ts'

// Linux, macOS and Windows differ in how the stack finds the engine of a crashed stack and the site's files.

describe('a process', () => {
  test('on Linux may have any characters in its name, and a zombie counts as ended', () => {
    const command = '/usr/bin/dynoxide\0serve\0--db-path\0/home/me/a b/table.db\0'
    expect(readProcFiles('12 (a) (b) S 7 12 12 0', command)).toEqual({
      parent: 7,
      command: '/usr/bin/dynoxide serve --db-path /home/me/a b/table.db ',
    })
    expect(readProcFiles('12 (dynoxide) Z 7 12 12 0', '')).toBeUndefined()
  })

  test('on macOS is queried with its full command line, with a separate option for each column', () => {
    expect(processQuery('darwin', 12)).toEqual(['ps', ['-ww', '-o', 'ppid=', '-o', 'command=', '-p', '12']])
    const line = '    7 /opt/dynoxide serve --db-path /Users/me/Time 2/.data/table.db\n'
    const described = readProcessLine(line)
    expect(described).toEqual({ parent: 7, command: '/opt/dynoxide serve --db-path /Users/me/Time 2/.data/table.db' })
    expect(namesFolder(described?.command ?? '', '/Users/me/Time 2/.data', 'darwin')).toBe(true)
    expect(namesFolder(described?.command ?? '', '/Users/me/time 2/.data', 'darwin')).toBe(false)
  })

  test('on Windows is queried by PowerShell, and its folder is case-insensitive', () => {
    const [program, options] = processQuery('win32', 12)
    expect(program).toBe('powershell.exe')
    expect(options.at(-1)).toContain("'ProcessId = 12'")
    const described = readProcessLine('7 "C:\\app\\dynoxide.exe" serve --db-path "C:\\Users\\Me\\.data\\table.db"\r\n')
    expect(described?.parent).toBe(7)
    expect(namesFolder(described?.command ?? '', 'c:\\users\\me\\.data', 'win32')).toBe(true)
    expect(namesFolder(described?.command ?? '', 'c:\\users\\you\\.data', 'win32')).toBe(false)
  })

  test('that has ended gives no description on any system', () => {
    expect(readProcessLine('\r\n')).toBeUndefined()
    expect(readProcessLine('')).toBeUndefined()
  })

  test('on this machine is found with its parent and its options, and is not found after its end', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)', '/some folder/.data'])
    const gone = once(child, 'exit')
    await once(child, 'spawn')
    const id = child.pid ?? 0
    expect(isAlive(id)).toBe(true)
    const described = readProcess(id)
    expect(described?.parent).toBe(process.pid)
    expect(namesFolder(described?.command ?? '', '/some folder/.data')).toBe(true)
    await endProcess(id)
    await gone
    expect(isAlive(id)).toBe(false)
    expect(readProcess(id)).toBeUndefined()
  })
})

describe.each([
  { name: 'Linux and macOS', rules: posix, site: '/srv/.build/site' },
  { name: 'Windows', rules: win32, site: 'C:\\app\\.build\\site' },
])('the site on $name', ({ rules, site }) => {
  test('serves its own files, and its document for every path without an extension', () => {
    expect(placeInSite(site, '/assets/a-1.js', rules)).toBe(rules.join(site, 'assets', 'a-1.js'))
    expect(placeInSite(site, '/employee/7', rules)).toBe(rules.join(site, 'index.html'))
  })

  test.each([
    '/../../package.json',
    '/%2e%2e/%2e%2e/package.json',
    '/..%2f..%2fpackage.json',
    '/assets/..%2f..%2f..%2fpackage.json',
    '../package.json',
    'assets/../../../package.json',
  ])('serves nothing outside of its folder for %s', path => {
    expect(rules.relative(site, placeInSite(site, path, rules) ?? site)).not.toMatch(/^\.\./)
  })
})

test('the site on Windows serves nothing outside of its folder, with either kind of slash', () => {
  const site = 'C:\\app\\.build\\site'
  for (const path of [
    '/..%5c..%5cpackage.json',
    '..%5cpackage.json',
    '..\\site2\\package.json',
    '/assets\\..\\..\\..\\a.json',
  ])
    expect(win32.relative(site, placeInSite(site, path, win32) ?? site)).not.toMatch(/^\.\./)
})
