// The XML of office files, without what nobody needs to read them: no document types, no entities of one's own. What is not
// well formed ends the reading at once, so that a document costs what its length costs and no more.

/** A comment, literal text, an instruction, or a tag; each character has one place to match, so that nothing is tried twice. */
const sign =
  /<!--[\s\S]*?-->|<!\[CDATA\[([\s\S]*?)\]\]>|<\?[\s\S]*?\?>|<(\/?)(?:[\w.-]+:)?([\w.-]+)(?=[\s/>])([^"'<>]*(?:(?:"[^"]*"|'[^']*')[^"'<>]*)*)>/y
const attributePattern = /\s*(?:[\w.-]+:)?([\w.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/y

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** Text as it is meant; what is no entity stays as it is written. */
const withoutEntities = (text: string): string =>
  text.includes('&')
    ? text.replace(/&(?:#x([\da-f]{1,6})|#(\d{1,7})|(\w{2,4}));/gi, (whole, hex, decimal, name) => {
        if (name) return entities[name] ?? whole
        const code = hex ? Number.parseInt(hex, 16) : Number(decimal)
        return code <= 0x10ffff ? String.fromCodePoint(code) : whole
      })
    : text

/** The value of an attribute by its name without the prefix. */
const readAttribute = (attributes: string, wanted: string): string | undefined => {
  attributePattern.lastIndex = 0
  for (let found = attributePattern.exec(attributes); found; found = attributePattern.exec(attributes)) {
    const [, name, quoted, apostrophed] = found
    if (name === wanted) return withoutEntities(quoted ?? apostrophed ?? '')
  }
  return undefined
}

export interface Xml {
  /** An element begins or ends, by its name without the prefix; one without content does both. */
  begins(name: string, attribute: (name: string) => string | undefined): void
  ends(name: string): void
  text(text: string): void
}

/** Reads a document from its beginning to its end; answers false where it is not well formed. What `told` throws ends it. */
export const readXml = (document: string, told: Xml): boolean => {
  let at = 0
  for (;;) {
    const next = document.indexOf('<', at)
    if (next < 0) return true
    if (next > at) told.text(withoutEntities(document.slice(at, next)))
    sign.lastIndex = next
    const found = sign.exec(document)
    if (!found) return false
    at = sign.lastIndex
    const [, literal, slash, name, attributes = ''] = found
    if (literal !== undefined) told.text(literal)
    else if (name !== undefined && slash) told.ends(name)
    else if (name !== undefined) {
      told.begins(name, wanted => readAttribute(attributes, wanted))
      if (attributes.endsWith('/')) told.ends(name)
    }
  }
}
