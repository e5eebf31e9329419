import elCompany from '../../shared/locales/el/company.json' with { type: 'json' }
import elReport from '../../shared/locales/el/report.json' with { type: 'json' }
import enCompany from '../../shared/locales/en/company.json' with { type: 'json' }
import enReport from '../../shared/locales/en/report.json' with { type: 'json' }
import esCompany from '../../shared/locales/es/company.json' with { type: 'json' }
import esReport from '../../shared/locales/es/report.json' with { type: 'json' }
import zhCompany from '../../shared/locales/zh/company.json' with { type: 'json' }
import zhReport from '../../shared/locales/zh/report.json' with { type: 'json' }

// The words of reports outside the site, from the site's own catalogues.

const catalogues: Record<string, { report: typeof enReport; leave: typeof enCompany.leave.type }> = {
  el: { report: elReport, leave: elCompany.leave.type },
  en: { report: enReport, leave: enCompany.leave.type },
  es: { report: esReport, leave: esCompany.leave.type },
  zh: { report: zhReport, leave: zhCompany.leave.type },
}

export const reportWordsIn = (language: string) =>
  catalogues[language] ?? { report: enReport, leave: enCompany.leave.type }

export type ReportWords = ReturnType<typeof reportWordsIn>

/** A text with `{{name}}` replaced by the value of that name. */
export const fill = (text: string, values: Record<string, string | number>): string =>
  text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => String(values[name] ?? ''))
