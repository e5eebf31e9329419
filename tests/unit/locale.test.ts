import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { parseSync } from 'vite'
import { describe, expect, test } from 'vitest'
import { errors } from '../../shared/errors.ts'
import { type Language, languages } from '../../shared/language.ts'

// The catalogues have the same keys in every language, and other languages contain no English. The sources use each
// key, and contain no sentences themselves. The tests parse the sources, because comments are no uses and tags are no
// sentences.

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
const withoutPlural = (key: string) => key.replace(plural, '')
const isPlural = (catalogue: Map<string, string>, key: string) => catalogue.has(`${withoutPlural(key)}_other`)

/** The placeholders and tags of a text, which are the same in every language. */
const marks = (text: string) => [...new Set(text.match(/{{.*?}}|<\/?\w+>/g))].sort().join(' ')

/** The words of a text, without placeholders and tags. */
const words = (text: string) => text.replace(/{{.*?}}|<.*?>/g, '')

describe('the catalogues', () => {
  test.each(languages)('have every text in %s, with every plural form of the language', language => {
    expect(nouns(language)).toEqual(nouns('en'))
    const catalogue = catalogueOf(language)
    const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories
    const expectedKeys = [...english.keys()].flatMap(key =>
      isPlural(english, key) ? forms.map(form => `${withoutPlural(key)}_${form}`) : [key],
    )
    expect([...catalogue.keys()].sort()).toEqual([...new Set(expectedKeys)].sort())
    expect([...catalogue].filter(([, text]) => text.trim() === '')).toEqual([])
  })

  test.each(foreign)('have the same placeholders in %s as in English', language => {
    const catalogue = catalogueOf(language)
    // The singular form may contain a word instead of the number.
    const marksOf = (texts: Map<string, string>, key: string) =>
      marks(texts.get(key) ?? texts.get(`${withoutPlural(key)}_other`) ?? '')
    const violations = [...catalogue.keys()].filter(
      key => !key.endsWith('_one') && marksOf(catalogue, key) !== marksOf(english, key),
    )
    expect(violations).toEqual([])
  })

  /** Words that are the same in both languages, names, and labels of keys. */
  const same: Record<string, RegExp> = {
    zh: /^(Webhook|TLS \/ SSL|Websocket|ADMS \/ PUSH|Esc|W|Delete|Shift \+ .*|Ctrl \+ \w.*)$/,
    es: /^(CSV|PDF|Excel \(XLSX\)|Webhooks?|TLS \/ SSL|Websocket|ADMS \/ PUSH|Esc|W|Ctrl \+ \w.*|Firmware|Normal|Provisional|Roles|[Tt]erminal|Total|Error|h|min|s|ms)$/,
    el: /^(CSV|PDF|Excel \(XLSX\)|Webhooks?|ms|TLS \/ SSL|Websocket|ADMS \/ PUSH|Esc|W|Delete|Enter|Shift \+ .*|Ctrl \+ \w.*|E-mail)$/,
  }
  test.each(foreign)('contain no English in %s', language => {
    const catalogue = catalogueOf(language)
    const equal = [...catalogue].filter(([key, text]) => {
      const visible = words(text)
        .trim()
        .replace(/^→\s*|\s*→$/g, '')
      return /\p{L}/u.test(visible) && text === english.get(key) && !same[language]?.test(visible)
    })
    expect(equal).toEqual([])
    // Chinese and Greek have their own letters, so a text without any is not translated.
    const script = { zh: /\p{Script=Han}/u, el: /\p{Script=Greek}/u }[language as string]
    const untranslated = [...catalogue].filter(
      ([, text]) =>
        script && /\p{L}{2}/u.test(words(text)) && !script.test(text) && !same[language]?.test(words(text).trim()),
    )
    expect(untranslated).toEqual([])
  })

  test.each(languages)('have a sentence in %s for every error code, and for no other', language => {
    const codes = [...catalogueOf(language).keys()].flatMap(key => /^error:(\d+)$/.exec(key)?.[1] ?? [])
    expect(codes.sort()).toEqual(Object.keys(errors).sort())
  })
})

/** The sentences that the specification quotes word for word. */
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

/** The words that the glossary rules out in each language. */
const ruledOut: Record<string, RegExp> = {
  en: /\b(whoever|somebody|anew|duty|taken? back|switched off|told)\b|\bchosen\b/i,
  zh: /填涂|终端|工号|签到|签退|仪表盘|审计|工时卡|你/,
  es: /\bpint(ar|ad[oa]s?)\b|\bpausas?\b|excepci[oó]n|\bID de empleado\b|(?<!control )\bhorario\b|\btus?\b/i,
  el: /χτύπ|χτυπ|εξα[ιί]ρεσ|αίτηση|υπάλληλ|υπαλλήλ|φυλλομετρ|ζωγραφ|βάψιμο|κωδικ\S+ πρόσβασης|Α\.Μ\./i,
}
test.each(languages)('use no word in %s that the glossary rules out', language => {
  const quotes = [...english].filter(([, text]) => quoted.includes(text)).map(([key]) => key)
  const violations = [...catalogueOf(language)].filter(
    ([key, text]) => ruledOut[language]?.test(words(text)) && !(language === 'en' && quotes.includes(key)),
  )
  expect(violations).toEqual([])
})

describe('the words of the specification', () => {
  test.each(quoted)('exist as a text, and a browser test checks them: %s', sentence => {
    // One of the sentences has a number before it.
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

/** A node and all its descendants, without the subtrees that `skip` matches. */
function* walk(node: Node, skip: (node: Node) => boolean = () => false): Generator<Node> {
  if (skip(node)) return
  yield node
  for (const value of Object.values(node))
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) yield* walk(child, skip)
}

const nodesOf = (file: string): Node => {
  const { program, errors } = parseSync(file, readFileSync(file, 'utf8'))
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`)
  return program as unknown as Node
}

/** The text of a literal. NUL replaces each expression of a template. */
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
    /** The string literals of the site that may be keys. */
    const keyCandidates = web.map(file => {
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
    const isUsedBySite = (name: string) => {
      const [noun = '', key = ''] = withoutPlural(name).split(':')
      return keyCandidates.some(({ texts, templates }) => {
        const isAt = (key: string) => texts.has(key) || templates.some(template => fits(template, key))
        return isAt(`${noun}:${key}`) || ((noun === 'shell' || texts.has(noun)) && isAt(key))
      })
    }
    // Branches that the site reads as a whole, or with keys that come from the server or from a list.
    const wholeBranches = [
      /^apikey:(shown|functions\.reads)\./,
      /^webhooks:secret\./,
      /^help:\w+\.parts\./,
      /^error:\d+$/,
      /^reason:/,
      /^notice:kind\./,
    ]
    const serverFiles = server.map(file => ({ source: readFileSync(file, 'utf8'), file }))
    /** The nouns whose catalogue the server imports, and reads by name for mails and sheets. */
    const serverNouns = new Set(
      serverFiles.flatMap(({ source }) => [...source.matchAll(/locales\/en\/([\w-]+)\.json/g)].map(([, noun]) => noun)),
    )
    const serverWords = new Set(
      serverFiles.flatMap(({ file }) =>
        read(file).flatMap(node => (node.type === 'Identifier' ? [String(node.name)] : [textOf(node) ?? []].flat())),
      ),
    )
    const isUsedByServer = (name: string) => {
      const [noun = '', key = ''] = withoutPlural(name).split(':')
      return serverNouns.has(noun) && key.split('.').every(part => serverWords.has(part) || /^\d+$/.test(part))
    }
    const unused = [...english.keys()].filter(
      name => !wholeBranches.some(branch => branch.test(name)) && !isUsedBySite(name) && !isUsedByServer(name),
    )
    expect(unused).toEqual([])
  })

  /** Attributes with a text for users or screen readers. */
  const textAttributes =
    /^(title|label|placeholder|alt|text|hint|heading|yes|no|empty|aria-(label|description|roledescription|valuetext|placeholder))$/
  const hasLetters = (text: string) => /\p{L}/u.test(text.replaceAll('\0', ''))

  test('contain no sentence of a page', () => {
    const misplaced = web.flatMap(file => {
      const tree = nodesOf(file)
      const inMarkup = [...walk(tree)].flatMap(node => {
        if (node.type === 'JSXText') return String(node.value)
        if (node.type === 'JSXExpressionContainer' || node.type !== 'JSXAttribute') return []
        const { name, value } = node as unknown as { name: { name: string }; value: Node | null }
        if (!value || !textAttributes.test(String(name.name))) return []
        const content = value.type === 'JSXExpressionContainer' ? (value.expression as Node) : value
        return textOf(content) ?? []
      })
      const children = [...walk(tree)].flatMap(node =>
        node.type === 'JSXElement' || node.type === 'JSXFragment'
          ? (node.children as Node[]).flatMap(child =>
              child.type === 'JSXExpressionContainer' ? (textOf(child.expression as Node) ?? []) : [],
            )
          : [],
      )
      // A sentence elsewhere, as in a list of columns, begins with a capital and has several words. Faults have a code, and thrown or
      // logged texts are for developers.
      const isForDevelopers = (node: Node) =>
        node.type === 'JSXAttribute' ||
        node.type === 'ImportDeclaration' ||
        (node.type === 'NewExpression' && /Error$/.test(String((node.callee as Node).name))) ||
        (node.type === 'CallExpression' &&
          ((node.callee as Node).name === 'fault' || (node.callee as { object?: Node }).object?.name === 'console'))
      const elsewhere = [...walk(tree, isForDevelopers)].flatMap(node => {
        const text = textOf(node)
        return text !== undefined && /^\p{Lu}\p{Ll}+[ ,]+[\p{L}\0]/u.test(text) ? [text] : []
      })
      // An example address needs no translation.
      const sentences = [...inMarkup, ...children, ...elsewhere].filter(
        text => hasLetters(text) && !/^https:/.test(text),
      )
      return sentences.map(text => `${file}: ${text.trim()}`)
    })
    expect(misplaced).toEqual([])
  })
})

test('every list of texts in English is a list in every language', () => {
  const listsOf = (value: unknown, path: string): string[] => {
    if (typeof value !== 'object' || value === null) return []
    const inner = Object.entries(value).flatMap(([key, child]) => listsOf(child, `${path}.${key}`))
    return Array.isArray(value) ? [path, ...inner] : inner
  }
  const lists = (language: Language) =>
    nouns(language)
      .flatMap(noun => listsOf(JSON.parse(readFileSync(`shared/locales/${language}/${noun}.json`, 'utf8')), noun))
      .sort()
  const english = lists('en')
  expect(english.length).toBeGreaterThan(0)
  for (const language of foreign) expect(lists(language), language).toEqual(english)
})
