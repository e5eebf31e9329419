import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BuildOptions, type BuildResult, build, type Metafile, type Plugin, transform } from 'esbuild'
import { build as bundleSite } from 'vite'
import { fontNames, prepareFonts } from './fonts.ts'
import { placesName, preparePlaces } from './places.ts'
import { shapesInBundles } from './shapes.ts'

// Every handler becomes one file for the cloud, but for one in parts: `.build/functions/<name>/index.cjs`, the AWS SDK within.
// CommonJS, because importing a builtin from a bundled ES module costs a cold start 20 ms (nodejs/node#59686). Source maps lie
// apart, for reading a stack; they are four times the code and no part of what is deployed.

const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * What is in each bundle: packages by their name, our own files by their path; and the names in capitals and of indexes that
 * its code says, of which the table's keys are made. The cloud stack gives rights by it.
 */
export type Contents = Record<string, { bytes: number; holds: string[]; says: string[] }>

const handlersIn = (room: string) =>
  readdirSync(join(root, room))
    .filter(file => file.endsWith('.ts'))
    .map(file => ({ in: join(root, room, file), out: basename(file, '.ts') }))

/** A text that is nothing but such a name, or begins with it. */
const said = /["'`]([A-Z][A-Z_]+(?:#[a-z]*)?|by[A-Z][a-z]+)(?=["'`]|\$\{)/g

const packageOf = (input: string) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1] ?? input

/** Of these services no error is told from another: an error none is registered for still brings its name and its status. */
const errorsUntold = /client-(kms|sesv2|eventbridge)\//

/**
 * The SDK describes every operation of a service in one file, with keys that stand for constants: `{ [_hH]: … }`. Such a key
 * could do anything, so esbuild keeps all of it: 55 KB of S3 for the four operations we use, 40 KB of SES for one. Written as
 * the words they stand for, what nobody uses is left out. And of a client's own package.json it only tells its version.
 */
const smallClients: Plugin = {
  name: 'small-clients',
  setup({ onLoad }) {
    onLoad({ filter: /@aws-sdk\/client-[^/]+\/dist-es\/schemas\/schemas_0\.js$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8')
      const words = new Map([...source.matchAll(/^const (\w+) = ("[^"]*");$/gm)].map(([, name, word]) => [name, word]))
      const plain = source.replace(/\[(\w+)\]:/g, (key, name) => (words.has(name) ? `${words.get(name)}:` : key))
      return { contents: errorsUntold.test(path) ? plain.replace(/^n0_registry\.registerError\(.*\);$/gm, '') : plain }
    })
    onLoad({ filter: /@aws-sdk\/client-[^/]+\/package\.json$/ }, ({ path }) => {
      const { version } = JSON.parse(readFileSync(path, 'utf8'))
      return { contents: JSON.stringify({ version }), loader: 'json' }
    })
  },
}

/** The one that describes the shapes of paths. */
const describing = 'docs'

/**
 * Every shape of zod can describe itself as a JSON schema, 17 KB in each bundle; only the API's description asks it to. In any
 * other bundle whoever did would be told so.
 */
const undescribed: Plugin = {
  name: 'undescribed',
  setup: ({ onLoad }) =>
    onLoad({ filter: /zod\/v4\/core\/(to-json-schema|json-schema-processors)\.js$/ }, ({ path }) => {
      const names = [...readFileSync(path, 'utf8').matchAll(/^export (?:const|function) (\w+)/gm)].map(
        ([, name = '']) => name,
      )
      const refuse = `() => { throw new Error('Only ${describing} describes shapes.') }`
      // Every shape makes its methods when it is made; calling them is what nobody may.
      const bodyOf = (name: string) => (name.endsWith('Method') ? `() => ${refuse}` : refuse)
      return { contents: names.map(name => `export const ${name} = ${bodyOf(name)}`).join('\n') }
    }),
}

/**
 * A text of zod can become any of thirty formats by a method, and so holds all of them; who wants one asks for it by its name
 * (`z.url()`). And its tools are handed on as one thing, of which nothing can be left out. Together a quarter of it.
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
      if (small === source || contents === small) throw new Error(`${path} reads otherwise than it did`)
      return { contents }
    }),
}

/** Libraries that a function loads on demand. Each lies beside the named functions as a package of its own. */
const beside = {
  'date-holidays': ['holiday'],
  fflate: ['sheet'],
  papaparse: ['sheet'],
  pdfkit: ['sheet'],
  'pinyin-pro': ['company', 'employee', 'personal', 'sheet', 'user'],
  'read-excel-file/universal': ['sheet'],
} as const

/** How all that goes to the cloud is written. */
const written = {
  minify: true,
  platform: 'node',
  target: 'node24',
  // V8 reads a file of ASCII letters in two thirds of the time: one other letter doubles what it holds of the file.
  charset: 'ascii',
  legalComments: 'none',
} as const

const placeBeside = async (library: keyof typeof beside, target: string) => {
  const [name = '', part] = library.split('/')
  const { outputFiles } = await build({
    ...written,
    absWorkingDir: root,
    entryPoints: [library],
    bundle: true,
    format: 'esm',
    write: false,
  })
  const exports = { [part ? `./${part}` : '.']: './index.js' }
  for (const owner of beside[library]) {
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
    ...written,
    absWorkingDir: root,
    entryPoints: handlers.map(handler => ({ in: handler.in, out: join(handler.out, 'index') })),
    outdir: join(target, 'functions'),
    outExtension: { '.js': '.cjs' },
    alias: {
      '@aws-sdk/credential-provider-node': './infra/credentials.ts',
      '@smithy/core/event-streams': './infra/event-stream.ts',
    },
    // The SDK's ES modules, of which only what is used is taken.
    mainFields: ['module', 'main'],
    plugins: [smallClients, smallShapes, ...plugins],
    external: Object.keys(beside),
    bundle: true,
    format: 'cjs',
    sourcemap: 'external',
    ...options,
    metafile: true,
    write: false,
  })

/** Functions with much code that few calls need: what they ask for by `import()` lies in files of its own and is loaded then. */
const inParts: readonly string[] = ['approve', 'employee', 'personal', 'record', 'sheet', 'user']

/** The files of a bundle: those that are loaded with its first, and all, also those that are asked for later. */
const partsOf = (first: string, { outputs }: Metafile) => {
  const follow = (isFollowed: (kind: string) => boolean) => {
    const files = new Set([first])
    for (const file of files)
      for (const { path, kind } of outputs[file]?.imports ?? []) if (outputs[path] && isFollowed(kind)) files.add(path)
    return [...files]
  }
  return { early: follow(kind => kind !== 'dynamic-import'), all: follow(() => true) }
}

/** The file each bundle begins with. */
const firstsIn = ({ outputs }: Metafile) => Object.keys(outputs).filter(file => basename(file) === 'index.cjs')

/** esbuild takes ES modules apart and nothing else, so a part becomes CommonJS afterwards. */
const bundleInParts = async (handler: Handler, target: string, plugins: Plugin[]): Promise<Built> => {
  const { metafile, outputFiles } = await bundle([handler], target, plugins, {
    format: 'esm',
    splitting: true,
    chunkNames: `${handler.out}/[name]-[hash]`,
    sourcemap: 'inline',
  })
  // A part may be left over of what nobody uses.
  const used = firstsIn(metafile).flatMap(first => partsOf(first, metafile).all)
  const parts = outputFiles
    .filter(({ path }) => used.includes(relative(root, path)))
    .map(async ({ path, text }) => {
      const { code, map } = await transform(text, { ...written, format: 'cjs', sourcemap: 'external' })
      return [
        { path, text: code },
        { path: `${path}.map`, text: map },
      ]
    })
  return { metafile, outputFiles: (await Promise.all(parts)).flat() }
}

const put = ({ outputFiles }: Built, target: string) => {
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
  const words = textsOf(all).flatMap(text => [...text.matchAll(said)].map(([, name = '']) => name))
  return {
    bytes: textsOf(early).reduce((sum, text) => sum + Buffer.byteLength(text), 0),
    holds: [...new Set(used)].sort(),
    says: [...new Set(words)].sort(),
  }
}

/** Builds other handlers as ours are built, for comparing. */
export const buildOthers = async (handlers: Handler[], target: string): Promise<void> =>
  put(await bundle(handlers, target, [undescribed, shapesInBundles(false)]), target)

/** Builds all handlers into `<target>/functions`, writes down beside them what they hold, and answers it. */
export const buildFunctions = async (target = join(root, '.build')): Promise<Contents> => {
  const handlers = [...handlersIn('functions'), ...handlersIn('events')]
  const plugins = [undescribed, shapesInBundles(false)]
  const built: Built[] = await Promise.all([
    bundle(
      handlers.filter(({ out }) => out === describing),
      target,
      [shapesInBundles(true)],
    ),
    ...handlers.filter(({ out }) => inParts.includes(out)).map(handler => bundleInParts(handler, target, plugins)),
    bundle(
      handlers.filter(({ out }) => out !== describing && !inParts.includes(out)),
      target,
      plugins,
    ),
  ])
  for (const { metafile } of built)
    for (const [file, { imports }] of Object.entries(metafile.outputs))
      for (const { path } of imports) {
        const owners: readonly string[] | undefined = beside[path as keyof typeof beside]
        // This machine finds the library in a folder above the bundle; the cloud has no such folder.
        if (owners && !owners.includes(basename(dirname(file))))
          throw new Error(`${file} loads ${path}, which lies only beside ${owners.join(', ')}`)
      }
  for (const part of ['functions', 'maps']) rmSync(join(target, part), { recursive: true, force: true })
  for (const one of built) put(one, target)
  // Read when it is asked for, and so no part of the code that a cold start has to load.
  await Promise.all((Object.keys(beside) as (keyof typeof beside)[]).map(library => placeBeside(library, target)))
  const fonts = prepareFonts(join(root, '.build'))
  for (const name of fontNames) copyFileSync(join(fonts, name), join(target, 'functions', 'sheet', name))
  copyFileSync(preparePlaces(join(root, '.build')), join(target, 'functions', 'location', placesName))
  const contents: Contents = Object.fromEntries(
    built.flatMap(one => firstsIn(one.metafile).map(first => [basename(dirname(first)), contentsOf(first, one)])),
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
