import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { parseSync } from 'vite'
import { describe, expect, test } from 'vitest'
import { errors } from '../../shared/errors.ts'
import { type Language, languages } from '../../shared/language.ts'

// The catalogues: the same keys in every language, each used, none equal to the English one that could be said otherwise, and
// no sentence anywhere else. The sources are read as trees, so that a word in a comment is no use and a tag no sentence.

type Texts = { [key: string]: string | Texts }

const flatten = (texts: Texts, prefix = ''): [string, string][] =>
  Object.entries(texts).flatMap(([key, value]) =>
    typeof value === 'string' ? [[prefix + key, value] as [string, string]] : flatten(value, `${prefix}${key}.`),
  )

const nouns = (language: Language) =>
  globSync(`shared/locales/${language}/*.json`)
    .map(file => basename(file, '.json'))
    .sort()

/** Every text of a language by `noun:key`. */
const catalogueOf = (language: Language) =>
  new Map(
    nouns(language).flatMap(noun =>
      flatten(JSON.parse(readFileSync(`shared/locales/${language}/${noun}.json`, 'utf8'))).map(
        ([key, text]) => [`${noun}:${key}`, text] as const,
      ),
    ),
  )

const english = catalogueOf('en')
const foreign = languages.filter(language => language !== 'en')

const plural = /_(zero|one|two|few|many|other)$/
const bare = (key: string) => key.replace(plural, '')
const isPlural = (catalogue: Map<string, string>, key: string) => catalogue.has(`${bare(key)}_other`)

/** What a text is filled with, and the tags it sets around words: the same in every language. */
const marks = (text: string) => [...new Set(text.match(/{{.*?}}|<\/?\w+>/g))].sort().join(' ')

/** What a person reads of a text. */
const words = (text: string) => text.replace(/{{.*?}}|<.*?>/g, '')

describe('the catalogues', () => {
  test.each(languages)('have in %s every text, with every plural the language knows', language => {
    expect(nouns(language)).toEqual(nouns('en'))
    const catalogue = catalogueOf(language)
    const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories
    const wanted = [...english.keys()].flatMap(key =>
      isPlural(english, key) ? forms.map(form => `${bare(key)}_${form}`) : [key],
    )
    expect([...catalogue.keys()].sort()).toEqual([...new Set(wanted)].sort())
    expect([...catalogue].filter(([, text]) => text.trim() === '')).toEqual([])
  })

  test.each(foreign)('are filled in %s with what the English ones are filled with', language => {
    const catalogue = catalogueOf(language)
    // The form for one may spell its number out.
    const marksOf = (texts: Map<string, string>, key: string) =>
      marks(texts.get(key) ?? texts.get(`${bare(key)}_other`) ?? '')
    const wrong = [...catalogue.keys()].filter(
      key => !key.endsWith('_one') && marksOf(catalogue, key) !== marksOf(english, key),
    )
    expect(wrong).toEqual([])
  })

  /** Words that are the same in both languages, names, and what stands on keys. */
  const same: Record<string, RegExp> = {
    zh: /^(Webhook|TLS \/ SSL|Websocket|ADMS \/ PUSH|Esc|W|Delete|Shift \+ .*|Ctrl \+ \w.*)$/,
    es: /^(CSV|PDF|Excel \(XLSX\)|Webhooks?|TLS \/ SSL|Websocket|ADMS \/ PUSH|Esc|W|Ctrl \+ \w.*|Firmware|Normal|Provisional|Roles|[Tt]erminal|Total|Error|h|min|s|ms)$/,
    el: /^(CSV|PDF|Excel \(XLSX\)|Webhooks?|ms|TLS \/ SSL|Websocket|ADMS \/ PUSH|Esc|W|Delete|Enter|Shift \+ .*|Ctrl \+ \w.*|E-mail)$/,
  }
  test.each(foreign)('say in %s nothing in English', language => {
    const catalogue = catalogueOf(language)
    const equal = [...catalogue].filter(([key, text]) => {
      const said = words(text)
        .trim()
        .replace(/^→\s*|\s*→$/g, '')
      return /\p{L}/u.test(said) && text === english.get(key) && !same[language]?.test(said)
    })
    expect(equal).toEqual([])
    // These two have letters of their own: a text without any was not translated.
    const own = { zh: /\p{Script=Han}/u, el: /\p{Script=Greek}/u }[language as string]
    const without = [...catalogue].filter(
      ([, text]) =>
        own && /\p{L}{2}/u.test(words(text)) && !own.test(text) && !same[language]?.test(words(text).trim()),
    )
    expect(without).toEqual([])
  })

  test.each(languages)('have a sentence in %s for every code there is, and none for others', language => {
    const codes = [...catalogueOf(language).keys()].flatMap(key => /^error:(\d+)$/.exec(key)?.[1] ?? [])
    expect(codes.sort()).toEqual(Object.keys(errors).sort())
  })
})

/** What the specification quotes, word by word. */
const quoted = [
  "Sorry, we couldn't find that page.",
  "Password don't match",
  'Cannot be empty here',
  'Please enter an organization name',
  'Please enter the shift name',
  'Please select employee',
  'Verification of the token failed',
  'Link has expired',
  's after get again',
]

/** Words the glossary rules out, in each language, and the ones to write instead. */
const ruledOut: Record<string, RegExp> = {
  en: /\b(whoever|somebody|anew|duty|taken? back|switched off|told)\b|\bchosen\b/i,
  zh: /填涂|终端|工号|签到|签退|仪表盘|审计|工时卡|你/,
  es: /\bpint(ar|ad[oa]s?)\b|\bpausas?\b|excepci[oó]n|\bID de empleado\b|(?<!control )\bhorario\b|\btus?\b/i,
  el: /χτύπ|χτυπ|εξα[ιί]ρεσ|αίτηση|υπάλληλ|υπαλλήλ|φυλλομετρ|ζωγραφ|βάψιμο|κωδικ\S+ πρόσβασης|Α\.Μ\./i,
}
test.each(languages)('use in %s no word the glossary rules out', language => {
  const quotes = [...english].filter(([, text]) => quoted.includes(text)).map(([key]) => key)
  const wrong = [...catalogueOf(language)].filter(
    ([key, text]) => ruledOut[language]?.test(words(text)) && !(language === 'en' && quotes.includes(key)),
  )
  expect(wrong).toEqual([])
})

describe('the words of the specification', () => {
  test.each(quoted)('are those of a text, and a page is looked at for them: %s', sentence => {
    // Before one of them stands a number.
    expect([...english.values()].map(text => text.replace('{{seconds}}', ''))).toContain(sentence)
    const tests = globSync('tests/browser/*.test.ts').map(file => readFileSync(file, 'utf8'))
    expect(tests.filter(source => source.includes(sentence))).not.toEqual([])
  })
})

interface Node {
  type: string
  [name: string]: unknown
}
const isNode = (value: unknown): value is Node =>
  value instanceof Object && 'type' in value && typeof value.type === 'string'

/** A node and everything within it, but nothing within what `skip` names. */
function* walk(node: Node, skip: (node: Node) => boolean = () => false): Generator<Node> {
  if (skip(node)) return
  yield node
  for (const value of Object.values(node))
    for (const one of Array.isArray(value) ? value : [value]) if (isNode(one)) yield* walk(one, skip)
}

const nodesOf = (file: string): Node => {
  const { program, errors } = parseSync(file, readFileSync(file, 'utf8'))
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`)
  return program as unknown as Node
}

/** The text of a literal; what a template puts in stands as NUL. */
const textOf = (node: Node): string | undefined => {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value
  if (node.type === 'TemplateLiteral')
    return (node.quasis as { value: { cooked: string } }[]).map(({ value }) => value.cooked).join('\0')
  return undefined
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

describe('the sources', () => {
  const web = globSync('web/**/*.{ts,tsx}').filter(file => !file.startsWith('web/languages/'))
  const server = globSync('{functions,events,shared}/**/*.ts')

  test('use every text', () => {
    const read = (file: string) => [...walk(nodesOf(file))]
    /** Which texts of the site's files are asked for, by the words that may be keys. */
    const asked = web.map(file => {
      const texts = read(file).flatMap(node => textOf(node) ?? [])
      return {
        texts: new Set(texts.filter(text => !text.includes('\0'))),
        templates: texts.filter(text => text.includes('\0') && /[\w.:]/.test(text)),
      }
    })
    const patterns = new Map<string, RegExp>()
    const fits = (template: string, key: string) => {
      const pattern = patterns.get(template) ?? new RegExp(`^${template.split('\0').map(escaped).join('[^.:]+')}$`)
      patterns.set(template, pattern)
      return pattern.test(key)
    }
    const isAskedFor = (name: string) => {
      const [noun = '', key = ''] = bare(name).split(':')
      return asked.some(({ texts, templates }) => {
        const isAt = (key: string) => texts.has(key) || templates.some(template => fits(template, key))
        return isAt(`${noun}:${key}`) || ((noun === 'shell' || texts.has(noun)) && isAt(key))
      })
    }
    // A branch that is asked for as a whole, or by names that are kept elsewhere, with dots in them.
    const wholes = [
      /^apikey:(shown|functions\.reads)\./,
      /^webhooks:secret\./,
      /^help:\w+\.parts\./,
      /^error:\d+$/,
      /^reason:/,
      /^notice:kind\./,
    ]
    const serverFiles = server.map(file => ({ source: readFileSync(file, 'utf8'), file }))
    /** The words a mail or a sheet may take are read by their names from a catalogue that is imported as such. */
    const serverNouns = new Set(
      serverFiles.flatMap(({ source }) => [...source.matchAll(/locales\/en\/([\w-]+)\.json/g)].map(([, noun]) => noun)),
    )
    const serverWords = new Set(
      serverFiles.flatMap(({ file }) =>
        read(file).flatMap(node => (node.type === 'Identifier' ? [String(node.name)] : [textOf(node) ?? []].flat())),
      ),
    )
    const isRead = (name: string) => {
      const [noun = '', key = ''] = bare(name).split(':')
      return serverNouns.has(noun) && key.split('.').every(part => serverWords.has(part) || /^\d+$/.test(part))
    }
    const unused = [...english.keys()].filter(
      name => !wholes.some(whole => whole.test(name)) && !isAskedFor(name) && !isRead(name),
    )
    expect(unused).toEqual([])
  })

  /** Attributes whose text a person reads or is read. */
  const spoken =
    /^(title|label|placeholder|alt|text|hint|heading|yes|no|empty|aria-(label|description|roledescription|valuetext|placeholder))$/
  const isSaid = (text: string) => /\p{L}/u.test(text.replaceAll('\0', ''))

  test('hold no sentence of a page', () => {
    const found = web.flatMap(file => {
      const tree = nodesOf(file)
      const inMarkup = [...walk(tree)].flatMap(node => {
        if (node.type === 'JSXText') return String(node.value)
        if (node.type === 'JSXExpressionContainer' || node.type !== 'JSXAttribute') return []
        const { name, value } = node as unknown as { name: { name: string }; value: Node | null }
        if (!value || !spoken.test(String(name.name))) return []
        const given = value.type === 'JSXExpressionContainer' ? (value.expression as Node) : value
        return textOf(given) ?? []
      })
      const children = [...walk(tree)].flatMap(node =>
        node.type === 'JSXElement' || node.type === 'JSXFragment'
          ? (node.children as Node[]).flatMap(child =>
              child.type === 'JSXExpressionContainer' ? (textOf(child.expression as Node) ?? []) : [],
            )
          : [],
      )
      // What is said elsewhere, in a list of columns for instance, begins with a capital and has more words than one. Faults are
      // told by their code, and what is thrown or logged is for whoever looks after the site.
      const isForUs = (node: Node) =>
        node.type === 'JSXAttribute' ||
        node.type === 'ImportDeclaration' ||
        (node.type === 'NewExpression' && /Error$/.test(String((node.callee as Node).name))) ||
        (node.type === 'CallExpression' &&
          ((node.callee as Node).name === 'fault' || (node.callee as { object?: Node }).object?.name === 'console'))
      const elsewhere = [...walk(tree, isForUs)].flatMap(node => {
        const text = textOf(node)
        return text !== undefined && /^\p{Lu}\p{Ll}+[ ,]+[\p{L}\0]/u.test(text) ? [text] : []
      })
      // An example of an address is nobody's language.
      const said = [...inMarkup, ...children, ...elsewhere].filter(text => isSaid(text) && !/^https:/.test(text))
      return said.map(text => `${file}: ${text.trim()}`)
    })
    expect(found).toEqual([])
  })
})
