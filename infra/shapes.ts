import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Plugin, transform } from 'esbuild'

// A file of `shared` defines a noun and its paths as zod shapes. A call needs a few of a hundred shapes, and creating all of them
// would take a third of a cold start. So bundles create each shape on first use.

/** A top-level `const` with its value, up to the next line that belongs to another statement. */
const constant = /^((?:export )?const (\w+)(: [^=\n]+)? = )(?!(?:async )?(?:[(<]|\w+ =>))(.*(?:\n(?:[ })\]].*)?)*)/gm

/** Documentation in the code: what a path does and returns, and descriptions of shapes. */
const documentation =
  /^ {4}(?:does|output): .*(?:\n {4}[ \])}].*)*,\n|\s*\.describe\(\s*(?:'(?:[^'\\]|\\.)*'|`[^`]*`),?\s*\)/gm

/** The input of a path. */
const inputOfPath = /^ {4}input: (.*(?:\n {4}[ \])}].*)*),$/gm

/** Drops the documentation, which only the API's description reads, and creates each input on first use. */
const withLazyInputs = (source: string) =>
  source.replace(documentation, '').replace(inputOfPath, '    get input() { return this.made ??= $1 },')

const isShared = (path: string) => /\/shared\/(?!attendance\/|locales\/)(?:[\w-]+\/)?[^/]+\.ts$/.test(path)

/** Calls that create a shape. */
const creation = /\b(?:z\s*\.|text\(|minutes\()/

const localImport = /^import \{([^}]*)\} from '(\.[^']*)'/gm

/** Renames every shape a file imports: `id` becomes `id$`. Calls `report` with its local name. */
const markImported = (path: string, source: string, report: (name: string) => void) =>
  source.replace(localImport, (line, names: string, from: string) => {
    const file = join(dirname(path), from)
    if (!isShared(file)) return line
    const shapes = shapesOf(file)
    const marked = names.replace(/(\btype )?\b(\w+)(?: as (\w+))?/g, (specifier, type, name, local = name) => {
      if (type || !shapes.has(name)) return specifier
      report(local)
      return `${name}$ as ${local}$`
    })
    return line.replace(names, marked)
  })

/** The shapes by file, cached because many files import the same ones. */
const shapesByFile = new Map<string, Set<string>>()

/** The top-level shapes of a file of `shared`, and those it imports. Excludes paths, which create their own inputs. */
const shapesOf = (path: string): Set<string> => {
  const cached = shapesByFile.get(path)
  if (cached) return cached
  const source = withLazyInputs(readFileSync(path, 'utf8'))
  const shapes = new Set<string>()
  markImported(path, source, name => shapes.add(name))
  for (const [, , name = '', type, value = ''] of source.matchAll(constant)) {
    const isMade = creation.test(value) || value.match(/\w+/g)?.some(word => shapes.has(word))
    if (isMade && !type && !value.includes('get input')) shapes.add(name)
  }
  shapesByFile.set(path, shapes)
  return shapes
}

const tool = fileURLToPath(new URL('when-asked.ts', import.meta.url))

/**
 * Top-level values of `shared` come from calls, and esbuild must assume that a call has side effects. So a bundle that needs one
 * key would include the shapes of all paths, 40 KB. These calls only create values (`shared` is pure); marked as pure, unused
 * ones are dropped. Instead of the shape `id`, the bundle has `id$`, which creates it on first use.
 */
const markPure = (source: string, shapes: ReadonlySet<string>) =>
  source.replace(constant, (_, begin: string, name: string, _type, value: string) => {
    const end = value.trimEnd()
    const made = shapes.has(name)
      ? `${begin.replace(name, `${name}$`)}/* @__PURE__ */ whenAsked(() => (${end}))`
      : `${begin}/* @__PURE__ */ (() => (${end}))()`
    return made + value.slice(end.length)
  })

/** Replaces uses of shapes: `id$.made` for `id`. esbuild tells the shape from a key or another variable. */
const createLazily = async (shapes: ReadonlySet<string>, path: string, source: string) => {
  const { code } = await transform(`import { whenAsked } from '${tool}'; ${source}`, {
    define: Object.fromEntries([...shapes].map(name => [name, `${name}$.made`])),
    loader: 'ts',
    sourcefile: path,
    sourcemap: 'inline',
  })
  return code
}

/** The shapes of a bundle: all of them with descriptions, or each created on first use. */
export const shapesInBundles = (areDescribed: boolean): Plugin => ({
  name: 'shapes-in-bundles',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\/(?:shared|functions|events)\/.*\.ts$/ }, async ({ path }) => {
      const source = readFileSync(path, 'utf8')
      if (areDescribed) return { contents: isShared(path) ? markPure(source, new Set()) : source, loader: 'ts' }
      const shapes = new Set(isShared(path) ? shapesOf(path) : [])
      const marked = markImported(path, source, name => shapes.add(name))
      const contents = isShared(path) ? markPure(withLazyInputs(marked), shapes) : marked
      return { contents: shapes.size > 0 ? await createLazily(shapes, path, contents) : contents, loader: 'ts' }
    }),
})
