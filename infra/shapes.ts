import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Plugin, transform } from 'esbuild'

// A file of `shared` holds what a thing is and the paths to it, in shapes of zod. A call needs a few of a hundred, and making them
// all would be a third of a cold start: in a bundle each is made when it is asked for.

/** What is given a name at the top of a file: it ends where the next line begins that belongs to something else. */
const named = /^((?:export )?const (\w+)(: [^=\n]+)? = )(?!(?:async )?(?:[(<]|\w+ =>))(.*(?:\n(?:[ })\]].*)?)*)/gm

/** What is told of paths and shapes: what a path does, what it answers, what a shape means. */
const told = /^ {4}(?:does|output): .*(?:\n {4}[ \])}].*)*,\n|\s*\.describe\(\s*'(?:[^'\\]|\\.)*',?\s*\)/gm

/** What a path takes. */
const taken = /^ {4}input: (.*(?:\n {4}[ \])}].*)*),$/gm

/** What is told only the API's description reads, and a call asks for the input of its own path. */
const askedOnly = (source: string) =>
  source.replace(told, '').replace(taken, '    get input() { return this.made ??= $1 },')

const isShared = (path: string) => /\/shared\/(?!attendance\/|locales\/)(?:[\w-]+\/)?[^/]+\.ts$/.test(path)

/** Calls that make a shape. */
const making = /\b(?:z\s*\.|text\(|minutes\()/

const brought = /^import \{([^}]*)\} from '(\.[^']*)'/gm

/** Marks every shape a file brings in from another: `id` becomes `id$`. `found` is told what it is called here. */
const markBrought = (path: string, source: string, found: (name: string) => void) =>
  source.replace(brought, (line, names: string, from: string) => {
    const file = join(dirname(path), from)
    if (!isShared(file)) return line
    const shapes = shapesOf(file)
    const marked = names.replace(/(\btype )?\b(\w+)(?: as (\w+))?/g, (whole, type, name, here = name) => {
      if (type || !shapes.has(name)) return whole
      found(here)
      return `${name}$ as ${here}$`
    })
    return line.replace(names, marked)
  })

/** What was found in a file: most are brought in by many. */
const known = new Map<string, Set<string>>()

/** The shapes at the top of a file of `shared`, and those it brings in; but no paths, each of which makes its own. */
const shapesOf = (path: string): Set<string> => {
  const before = known.get(path)
  if (before) return before
  const source = askedOnly(readFileSync(path, 'utf8'))
  const shapes = new Set<string>()
  markBrought(path, source, name => shapes.add(name))
  for (const [, , name = '', type, value = ''] of source.matchAll(named)) {
    const isMade = making.test(value) || value.match(/\w+/g)?.some(word => shapes.has(word))
    if (isMade && !type && !value.includes('get input')) shapes.add(name)
  }
  known.set(path, shapes)
  return shapes
}

const tool = fileURLToPath(new URL('when-asked.ts', import.meta.url))

/**
 * What stands at the top of a file of `shared` without being a function is a value that is made by a call, and a call could do
 * anything, so whoever wants a key would carry the shapes of all paths beside it, 40 KB of a bundle. These do nothing but make a
 * value (`shared` is pure), and said so, what nobody uses is left out. Instead of the shape `id`, `id$` makes it when asked.
 */
const sayPure = (source: string, shapes: ReadonlySet<string>) =>
  source.replace(named, (_, begin: string, name: string, _type, value: string) => {
    const end = value.trimEnd()
    const made = shapes.has(name)
      ? `${begin.replace(name, `${name}$`)}/* @__PURE__ */ whenAsked(() => (${end}))`
      : `${begin}/* @__PURE__ */ (() => (${end}))()`
    return made + value.slice(end.length)
  })

/** Asks for shapes where they are used: `id$.made` for `id`. Where `id` is the shape, and where a key or a variable, esbuild knows. */
const askFor = async (shapes: ReadonlySet<string>, path: string, source: string) => {
  const { code } = await transform(`import { whenAsked } from '${tool}'; ${source}`, {
    define: Object.fromEntries([...shapes].map(name => [name, `${name}$.made`])),
    loader: 'ts',
    sourcefile: path,
    sourcemap: 'inline',
  })
  return code
}

/** Shapes in what is bundled: all of them, described, or each when it is asked for. */
export const shapesInBundles = (areDescribed: boolean): Plugin => ({
  name: 'shapes-in-bundles',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\/(?:shared|functions|events)\/.*\.ts$/ }, async ({ path }) => {
      const source = readFileSync(path, 'utf8')
      if (areDescribed) return { contents: isShared(path) ? sayPure(source, new Set()) : source, loader: 'ts' }
      const shapes = new Set(isShared(path) ? shapesOf(path) : [])
      const marked = markBrought(path, source, name => shapes.add(name))
      const contents = isShared(path) ? sayPure(askedOnly(marked), shapes) : marked
      return { contents: shapes.size > 0 ? await askFor(shapes, path, contents) : contents, loader: 'ts' }
    }),
})
