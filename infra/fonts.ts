import { copyFileSync, existsSync, mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const fileAt = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const han = fileURLToPath(import.meta.resolve('@expo-google-fonts/noto-sans-sc/package.json'))
const hanFile = (path: string) => join(han, '..', path)

/**
 * The fonts of PDFs: Manrope, and Noto Sans SC for Han characters. The font licences require a copy beside the fonts.
 */
const fonts = {
  'manrope.ttf': fileAt('../functions/report/manrope.ttf'),
  'noto-sans-sc.ttf': hanFile('400Regular/NotoSansSC_400Regular.ttf'),
  'noto-sans-sc.license': hanFile('LICENSE_FONT'),
}

export const fontNames = Object.keys(fonts)

/** Puts the fonts into `target` and returns their folder. Two processes may call this function at the same time. */
export const prepareFonts = (target: string): string => {
  const folder = join(target, 'fonts')
  mkdirSync(folder, { recursive: true })
  for (const [name, source] of Object.entries(fonts)) {
    const place = join(folder, name)
    if (existsSync(place)) continue
    const partial = `${place}.${process.pid}`
    copyFileSync(source, partial)
    renameSync(partial, place)
  }
  return folder
}
