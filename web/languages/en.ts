// Each noun's texts are a small file of their own; only their names are here.
export default import.meta.glob<Record<string, unknown>>('../../shared/locales/en/*.json', { import: 'default' })
