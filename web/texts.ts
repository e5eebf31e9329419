import 'i18next'

// The English texts define the keys, so a misspelt key does not compile.
declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'shell'
    resources: {
      apikey: typeof import('../shared/locales/en/apikey.json')
      approve: typeof import('../shared/locales/en/approve.json')
      audit: typeof import('../shared/locales/en/audit.json')
      close: typeof import('../shared/locales/en/close.json')
      chart: typeof import('../shared/locales/en/chart.json')
      company: typeof import('../shared/locales/en/company.json')
      dashboard: typeof import('../shared/locales/en/dashboard.json')
      department: typeof import('../shared/locales/en/department.json')
      device: typeof import('../shared/locales/en/device.json')
      employee: typeof import('../shared/locales/en/employee.json')
      exception: typeof import('../shared/locales/en/exception.json')
      error: typeof import('../shared/locales/en/error.json')
      explain: typeof import('../shared/locales/en/explain.json')
      forget: typeof import('../shared/locales/en/forget.json')
      help: typeof import('../shared/locales/en/help.json')
      holiday: typeof import('../shared/locales/en/holiday.json')
      join: typeof import('../shared/locales/en/join.json')
      lock: typeof import('../shared/locales/en/lock.json')
      leave: typeof import('../shared/locales/en/leave.json')
      login: typeof import('../shared/locales/en/login.json')
      notice: typeof import('../shared/locales/en/notice.json')
      offline: typeof import('../shared/locales/en/offline.json')
      organization: typeof import('../shared/locales/en/organization.json')
      params: typeof import('../shared/locales/en/params.json')
      preview: typeof import('../shared/locales/en/preview.json')
      personal: typeof import('../shared/locales/en/personal.json')
      print: typeof import('../shared/locales/en/print.json')
      profile: typeof import('../shared/locales/en/profile.json')
      punch: typeof import('../shared/locales/en/punch.json')
      quick: typeof import('../shared/locales/en/quick.json')
      reason: typeof import('../shared/locales/en/reason.json')
      record: typeof import('../shared/locales/en/record.json')
      register: typeof import('../shared/locales/en/register.json')
      report: typeof import('../shared/locales/en/report.json')
      'report-mail': typeof import('../shared/locales/en/report-mail.json')
      request: typeof import('../shared/locales/en/request.json')
      role: typeof import('../shared/locales/en/role.json')
      schedule: typeof import('../shared/locales/en/schedule.json')
      sheet: typeof import('../shared/locales/en/sheet.json')
      shell: typeof import('../shared/locales/en/shell.json')
      shift: typeof import('../shared/locales/en/shift.json')
      task: typeof import('../shared/locales/en/task.json')
      temperature: typeof import('../shared/locales/en/temperature.json')
      webhooks: typeof import('../shared/locales/en/webhooks.json')
    }
  }
}
