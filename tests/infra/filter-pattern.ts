// The part of CloudWatch's filter pattern syntax that our filters use: a comparison with a property of a JSON line.
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/FilterAndPatternSyntaxForMetricFilters.html

const shape = /^\{ \$\.([\w.]+) (=|>) (?:"([^"]*)"|(\d+)) \}$/

/** The property of a selector such as `$.message.sent`; undefined if the line is no JSON or lacks it. */
export const select = (selector: string, line: string): unknown => {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return undefined
  }
  for (const name of selector.replace(/^\$\./, '').split('.')) value = Object(value)[name]
  return value
}

/** Whether a filter counts a line. Throws for an unsupported pattern. */
export const matches = (pattern: string, line: string): boolean => {
  const [, path = '', operator, text, number] = shape.exec(pattern) ?? []
  if (operator === undefined) throw new Error(`This test does not read the pattern ${pattern}`)
  const value = select(path, line)
  if (operator === '>') return typeof value === 'number' && value > Number(number)
  if (text === undefined) return value === Number(number)
  // A star matches any characters.
  const parts = text.split('*').map(part => part.replace(/\W/g, '\\$&'))
  return typeof value === 'string' && new RegExp(`^${parts.join('.*')}$`, 's').test(value)
}
