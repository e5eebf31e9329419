import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BuildOptions, type BuildResult, build, type Metafile, type Plugin, transform } from 'esbuild'
import { build as bundleSite } from 'vite'
import { fontNames, prepareFonts } from './fonts.ts'
import { placesName, preparePlaces } from './places.ts'
import { shapesInBundles } from './shapes.ts'

// Bundles every handler into one file with the AWS SDK, `.build/functions/<name>/index.cjs`. A handler in parts has
// several files. CommonJS avoids 20 ms per cold start, which importing a builtin from a bundled ES module costs
// (nodejs/node#59686). We do not deploy the source maps, because they are four times the size of the code.

const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * The content of each bundle: packages by name, our own files by path. `says` lists the table key prefixes and index
 * names in the code. The cloud stack derives the function's rights from `says`.
 */
export type Contents = Record<string, { bytes: number; holds: string[]; says: string[] }>

const handlersIn = (room: string) =>
  readdirSync(join(root, room))
    .filter(file => file.endsWith('.ts'))
    .map(file => ({ in: join(root, room, file), out: basename(file, '.ts') }))

/** A string literal that is or begins with a table key prefix (`DEVICE#`) or an index name (`byName`). */
const keyName = /["'`]([A-Z][A-Z_]+(?:#[a-z]*)?|by[A-Z][a-z]+)(?=["'`]|\$\{)/g

const packageOf = (input: string) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1] ?? input

/** Services whose error types we never distinguish. An error without its own type still has its name and status. */
const genericErrors = /client-(kms|sesv2|eventbridge)\//

/**
 * The SDK describes all operations of a service in one file, with computed keys: `{ [_hH]: … }`. A computed key may
 * have side effects, so esbuild keeps all operations: 55 KB of S3, 40 KB of SES. This plugin writes literal keys, so
 * esbuild drops the unused operations. It also drops package.json except the version, because a client reads only the
 * version.
 */
const smallClients: Plugin = {
  name: 'small-clients',
  setup({ onLoad }) {
    onLoad({ filter: /@aws-sdk\/client-[^/]+\/dist-es\/schemas\/schemas_0\.js$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8')
      const words = new Map([...source.matchAll(/^const (\w+) = ("[^"]*");$/gm)].map(([, name, word]) => [name, word]))
      const plain = source.replace(/\[(\w+)\]:/g, (key, name) => (words.has(name) ? `${words.get(name)}:` : key))
      return { contents: genericErrors.test(path) ? plain.replace(/^n0_registry\.registerError\(.*\);$/gm, '') : plain }
    })
    onLoad({ filter: /@aws-sdk\/client-[^/]+\/package\.json$/ }, ({ path }) => {
      const { version } = JSON.parse(readFileSync(path, 'utf8'))
      return { contents: JSON.stringify({ version }), loader: 'json' }
    })
  },
}

/** The handler that describes the shapes of paths. */
const describingHandler = 'docs'

/**
 * Every zod shape can describe itself as a JSON schema, which costs 17 KB per bundle. Only the API's description needs
 * the schemas. In other bundles a call throws.
 */
const withoutDescriptions: Plugin = {
  name: 'undescribed',
  setup: ({ onLoad }) =>
    onLoad({ filter: /zod\/v4\/core\/(to-json-schema|json-schema-processors)\.js$/ }, ({ path }) => {
      const names = [...readFileSync(path, 'utf8').matchAll(/^export (?:const|function) (\w+)/gm)].map(
        ([, name = '']) => name,
      )
      const refuse = `() => { throw new Error('Only the bundle ${describingHandler} can describe shapes.') }`
      // Every shape creates these methods when zod creates the shape. So only a call of the method may throw.
      const bodyOf = (name: string) => (name.endsWith('Method') ? `() => ${refuse}` : refuse)
      return { contents: names.map(name => `export const ${name} = ${bodyOf(name)}`).join('\n') }
    }),
}

/**
 * Removes a quarter of zod from the bundles. A zod string has a method for each of thirty formats, so esbuild bundles
 * all formats. Our code uses `z.url()` and similar functions instead. zod re-exports its utilities as one object, from
 * which esbuild drops nothing.
 */
const smallShapes: Plugin = {
  name: 'small-shapes',
  setup: ({ onLoad }) =>
    onLoad({ filter: /zod\/v4\/classic\/schemas\.js$/ }, ({ path }) => {
      const formats = /^ {4}\w+\(params\) \{\n {8}return this\.check\(core\._\w+\(Zod\w+, params\)\);\n {4}\},\n/gm
      const source = readFileSync(path, 'utf8')
      const small = source.replace(formats, '')
      const contents = small
        .replace('import { util } from "../core/index.js"', 'import * as util from "../core/util.js"')
        .replaceAll('core.util.', 'util.')
      if (small === source || contents === small) throw new Error(`${path} has changed: adapt the plugin small-shapes`)
      return { contents }
    }),
}

/** Libraries that functions load on demand. Each library is a separate package beside the functions that use it. */
const packagesBeside = {
  'date-holidays': ['holiday'],
  fflate: ['sheet'],
  papaparse: ['sheet'],
  pdfkit: ['sheet'],
  'pinyin-pro': ['company', 'employee', 'perform', 'personal', 'sheet', 'user'],
  'read-excel-file/universal': ['sheet'],
} as const

const output = {
  minify: true,
  platform: 'node',
  target: 'node24',
  // V8 reads an ASCII file in two thirds of the time. A single non-ASCII character doubles the file's memory.
  charset: 'ascii',
  legalComments: 'none',
} as const

const placeBeside = async (library: keyof typeof packagesBeside, target: string) => {
  const [name = '', part] = library.split('/')
  const { outputFiles } = await build({
    ...output,
    absWorkingDir: root,
    entryPoints: [library],
    bundle: true,
    format: 'esm',
    write: false,
  })
  const exports = { [part ? `./${part}` : '.']: './index.js' }
  for (const owner of packagesBeside[library]) {
    const place = join(target, 'functions', owner, 'node_modules', name)
    mkdirSync(place, { recursive: true })
    writeFileSync(join(place, 'index.js'), outputFiles[0]?.contents ?? '')
    writeFileSync(join(place, 'package.json'), JSON.stringify({ type: 'module', exports }))
  }
}

type Built = Pick<BuildResult<{ metafile: true }>, 'metafile'> & { outputFiles: { path: string; text: string }[] }

interface Handler {
  in: string
  out: string
}

const bundle = (handlers: Handler[], target: string, plugins: Plugin[], options: BuildOptions = {}) =>
  build({
    ...output,
    absWorkingDir: root,
    entryPoints: handlers.map(handler => ({ in: handler.in, out: join(handler.out, 'index') })),
    outdir: join(target, 'functions'),
    outExtension: { '.js': '.cjs' },
    alias: {
      '@aws-sdk/credential-provider-node': './infra/credentials.ts',
      '@smithy/core/event-streams': './infra/event-stream.ts',
    },
    // esbuild can drop unused code only from the SDK's ES modules.
    mainFields: ['module', 'main'],
    plugins: [smallClients, smallShapes, ...plugins],
    external: Object.keys(packagesBeside),
    bundle: true,
    format: 'cjs',
    sourcemap: 'external',
    ...options,
    metafile: true,
    write: false,
  })

/** Each `import()` of these handlers becomes a separate file that loads on demand. Few calls need that code. */
const handlersInParts: readonly string[] = ['approve', 'employee', 'personal', 'record', 'sheet', 'user']

/** The files of a bundle: `early` load with its entry, `all` also includes the files that load on demand. */
const partsOf = (first: string, { outputs }: Metafile) => {
  const follow = (isFollowed: (kind: string) => boolean) => {
    const files = new Set([first])
    for (const file of files)
      for (const { path, kind } of outputs[file]?.imports ?? []) if (outputs[path] && isFollowed(kind)) files.add(path)
    return [...files]
  }
  return { early: follow(kind => kind !== 'dynamic-import'), all: follow(() => true) }
}

/** The entry file of each bundle. */
const entriesIn = ({ outputs }: Metafile) => Object.keys(outputs).filter(file => basename(file) === 'index.cjs')

/** esbuild splits only ES modules, so this function converts each part to CommonJS afterwards. */
const bundleInParts = async (handler: Handler, target: string, plugins: Plugin[]): Promise<Built> => {
  const { metafile, outputFiles } = await bundle([handler], target, plugins, {
    format: 'esm',
    splitting: true,
    chunkNames: `${handler.out}/[name]-[hash]`,
    sourcemap: 'inline',
  })
  // esbuild may emit parts that no entry uses.
  const used = entriesIn(metafile).flatMap(first => partsOf(first, metafile).all)
  const parts = outputFiles
    .filter(({ path }) => used.includes(relative(root, path)))
    .map(async ({ path, text }) => {
      const { code, map } = await transform(text, { ...output, format: 'cjs', sourcemap: 'external' })
      return [
        { path, text: code },
        { path: `${path}.map`, text: map },
      ]
    })
  return { metafile, outputFiles: (await Promise.all(parts)).flat() }
}

const writeBuilt = ({ outputFiles }: Built, target: string) => {
  for (const { path, text } of outputFiles) {
    const place = join(target, path.endsWith('.map') ? 'maps' : 'functions', relative(join(target, 'functions'), path))
    mkdirSync(dirname(place), { recursive: true })
    writeFileSync(place, text)
  }
}

const contentsOf = (first: string, { metafile, outputFiles }: Built): Contents[string] => {
  const { early, all } = partsOf(first, metafile)
  const inputs = all.flatMap(file => Object.entries(metafile.outputs[file]?.inputs ?? {}))
  const used = inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([input]) => packageOf(input))
  const textsOf = (files: string[]) =>
    outputFiles.filter(({ path }) => files.includes(relative(root, path))).map(({ text }) => text)
  const words = textsOf(all).flatMap(text => [...text.matchAll(keyName)].map(([, name = '']) => name))
  return {
    bytes: textsOf(early).reduce((sum, text) => sum + Buffer.byteLength(text), 0),
    holds: [...new Set(used)].sort(),
    says: [...new Set(words)].sort(),
  }
}

/** Builds additional handlers with the same options, for the cold-start benchmark. */
export const buildOthers = async (handlers: Handler[], target: string): Promise<void> =>
  writeBuilt(await bundle(handlers, target, [withoutDescriptions, shapesInBundles(false)]), target)

/** Builds all handlers into `<target>/functions`. Writes their contents beside them and returns the contents. */
export const buildFunctions = async (target = join(root, '.build')): Promise<Contents> => {
  const migrate = { in: join(root, 'infra/migrate/job.ts'), out: 'migrate' }
  const handlers = [...handlersIn('functions'), ...handlersIn('events'), migrate]
  const plugins = [withoutDescriptions, shapesInBundles(false)]
  const built: Built[] = await Promise.all([
    bundle(
      handlers.filter(({ out }) => out === describingHandler),
      target,
      [shapesInBundles(true)],
    ),
    ...handlers
      .filter(({ out }) => handlersInParts.includes(out))
      .map(handler => bundleInParts(handler, target, plugins)),
    bundle(
      handlers.filter(({ out }) => out !== describingHandler && !handlersInParts.includes(out)),
      target,
      plugins,
    ),
  ])
  for (const { metafile } of built)
    for (const [file, { imports }] of Object.entries(metafile.outputs))
      for (const { path } of imports) {
        const owners: readonly string[] | undefined = packagesBeside[path as keyof typeof packagesBeside]
        // On this machine the library is in a folder above the bundle; the cloud has no such folder.
        if (owners && !owners.includes(basename(dirname(file))))
          throw new Error(
            `${file} loads ${path}, which is packaged only for ${owners.join(', ')}: extend packagesBeside`,
          )
      }
  for (const part of ['functions', 'maps']) rmSync(join(target, part), { recursive: true, force: true })
  for (const result of built) writeBuilt(result, target)
  // Functions load these libraries on demand, so a cold start does not read them.
  await Promise.all(
    (Object.keys(packagesBeside) as (keyof typeof packagesBeside)[]).map(library => placeBeside(library, target)),
  )
  const fonts = prepareFonts(join(root, '.build'))
  for (const name of fontNames) copyFileSync(join(fonts, name), join(target, 'functions', 'sheet', name))
  copyFileSync(preparePlaces(join(root, '.build')), join(target, 'functions', 'location', placesName))
  const contents: Contents = Object.fromEntries(
    built.flatMap(result =>
      entriesIn(result.metafile).map(first => [basename(dirname(first)), contentsOf(first, result)]),
    ),
  )
  writeFileSync(join(target, 'functions.json'), JSON.stringify(contents, null, 2))
  return contents
}

/** Builds the site into `.build/site`. */
const buildSite = async (): Promise<void> => {
  await bundleSite({ root: join(root, 'web'), configFile: join(root, 'vite.config.ts'), logLevel: 'warn' })
}

if (import.meta.main) {
  const startedAt = performance.now()
  const [contents] = await Promise.all([buildFunctions(), buildSite()])
  for (const [name, { bytes }] of Object.entries(contents))
    console.log(`${name.padEnd(14)} ${(bytes / 1024).toFixed(0).padStart(5)} KB`)
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  console.log(`${Object.keys(contents).length} functions and the site in ${seconds} s`)
}
