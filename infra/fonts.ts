import { copyFileSync, existsSync, mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const find = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const han = fileURLToPath(import.meta.resolve('@expo-google-fonts/noto-sans-sc/package.json'))
const ofHan = (path: string) => join(han, '..', path)

/** What a PDF is written with: our own letters, and Noto Sans SC for the Han ones. Its licence goes wherever the font goes. */
const fonts = {
  'manrope.ttf': find('../functions/report/manrope.ttf'),
  'noto-sans-sc.ttf': ofHan('400Regular/NotoSansSC_400Regular.ttf'),
  'noto-sans-sc.license': ofHan('LICENSE_FONT'),
}

export const fontNames = Object.keys(fonts)

/** Puts the fonts into `target` and returns their folder. Two processes may do it at once. */
export const prepareFonts = (target: string): string => {
  const folder = join(target, 'fonts')
  mkdirSync(folder, { recursive: true })
  for (const [name, source] of Object.entries(fonts)) {
    const place = join(folder, name)
    if (existsSync(place)) continue
    const begun = `${place}.${process.pid}`
    copyFileSync(source, begun)
    renameSync(begun, place)
  }
  return folder
}
