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

// What differs between Linux, macOS and Windows where a stack finds the engine that a crashed one left behind, and the site's files.

describe('a process', () => {
  test('of Linux is read whatever its name holds, and a zombie has ended', () => {
    const command = '/usr/bin/dynoxide\0serve\0--db-path\0/home/me/a b/table.db\0'
    expect(readProcFiles('12 (a) (b) S 7 12 12 0', command)).toEqual({
      parent: 7,
      command: '/usr/bin/dynoxide serve --db-path /home/me/a b/table.db ',
    })
    expect(readProcFiles('12 (dynoxide) Z 7 12 12 0', '')).toBeUndefined()
  })

  test('of macOS is asked for its whole line, each column with an option of its own', () => {
    expect(processQuery('darwin', 12)).toEqual(['ps', ['-ww', '-o', 'ppid=', '-o', 'command=', '-p', '12']])
    const line = '    7 /opt/dynoxide serve --db-path /Users/me/Time 2/.data/table.db\n'
    const found = readProcessLine(line)
    expect(found).toEqual({ parent: 7, command: '/opt/dynoxide serve --db-path /Users/me/Time 2/.data/table.db' })
    expect(namesFolder(found?.command ?? '', '/Users/me/Time 2/.data', 'darwin')).toBe(true)
    expect(namesFolder(found?.command ?? '', '/Users/me/time 2/.data', 'darwin')).toBe(false)
  })

  test('of Windows is asked by PowerShell, and its folder is the same in capital and small letters', () => {
    const [program, options] = processQuery('win32', 12)
    expect(program).toBe('powershell.exe')
    expect(options.at(-1)).toContain("'ProcessId = 12'")
    const found = readProcessLine('7 "C:\\app\\dynoxide.exe" serve --db-path "C:\\Users\\Me\\.data\\table.db"\r\n')
    expect(found?.parent).toBe(7)
    expect(namesFolder(found?.command ?? '', 'c:\\users\\me\\.data', 'win32')).toBe(true)
    expect(namesFolder(found?.command ?? '', 'c:\\users\\you\\.data', 'win32')).toBe(false)
  })

  test('that has ended has no line on any system', () => {
    expect(readProcessLine('\r\n')).toBeUndefined()
    expect(readProcessLine('')).toBeUndefined()
  })

  test('of this machine is found with its parent and its options, and is gone once it was ended', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)', '/some folder/.data'])
    const gone = once(child, 'exit')
    await once(child, 'spawn')
    const id = child.pid ?? 0
    expect(isAlive(id)).toBe(true)
    const found = readProcess(id)
    expect(found?.parent).toBe(process.pid)
    expect(namesFolder(found?.command ?? '', '/some folder/.data')).toBe(true)
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
  test('answers its own files, and its page for every path without an extension', () => {
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
  ])('answers nothing outside of it for %s', path => {
    expect(rules.relative(site, placeInSite(site, path, rules) ?? site)).not.toMatch(/^\.\./)
  })
})

test('the site on Windows answers nothing outside of it, whichever slash leads there', () => {
  const site = 'C:\\app\\.build\\site'
  for (const path of [
    '/..%5c..%5cpackage.json',
    '..%5cpackage.json',
    '..\\site2\\package.json',
    '/assets\\..\\..\\..\\a.json',
  ])
    expect(win32.relative(site, placeInSite(site, path, win32) ?? site)).not.toMatch(/^\.\./)
})
