import elLeave from '../../shared/locales/el/leave.json' with { type: 'json' }
import elReport from '../../shared/locales/el/report.json' with { type: 'json' }
import enLeave from '../../shared/locales/en/leave.json' with { type: 'json' }
import enReport from '../../shared/locales/en/report.json' with { type: 'json' }
import esLeave from '../../shared/locales/es/leave.json' with { type: 'json' }
import esReport from '../../shared/locales/es/report.json' with { type: 'json' }
import zhLeave from '../../shared/locales/zh/leave.json' with { type: 'json' }
import zhReport from '../../shared/locales/zh/report.json' with { type: 'json' }

// The words of report files and mails, from the catalogues of the site.

const catalogues: Record<string, { report: typeof enReport; leave: typeof enLeave.type }> = {
  el: { report: elReport, leave: elLeave.type },
  en: { report: enReport, leave: enLeave.type },
  es: { report: esReport, leave: esLeave.type },
  zh: { report: zhReport, leave: zhLeave.type },
}

export const reportWordsIn = (language: string) => catalogues[language] ?? { report: enReport, leave: enLeave.type }

export type ReportWords = ReturnType<typeof reportWordsIn>
