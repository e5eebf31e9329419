// Each namespace's texts are a separate small file. This file holds only the file names.
export default import.meta.glob<Record<string, unknown>>('../../shared/locales/el/*.json', { import: 'default' })
