import { FileText, Image, X } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { imageTypes } from '../../../shared/image.ts'
import { call, isFault } from '../../api.ts'
import { shrinkPage } from '../../picture.ts'
import { sendFile } from '../../send-file.ts'
import { Button } from '../button.tsx'
import { Field } from './field.tsx'

/** Of those a request takes. */
const mostFiles = 5
const mostBytes = 2 * 1024 * 1024
const pdf = 'application/pdf'
const types = [...imageTypes, pdf] as const
type FileType = (typeof types)[number]

/** A file somebody chose, as it is sent. */
interface Chosen {
  name: string
  type: FileType
  file: Blob
  /** What it was sent as, once it was: it is not sent again where the request was refused for something else. */
  upload?: string
}

/** The files that go with a request; `send` sends those that were not yet, and names them all. */
export const useAttachments = () => {
  const [files, setFiles] = useState<readonly Chosen[]>([])
  const [fault, setFault] = useState<'tooLarge' | 'wrong' | 'failed'>()
  const add = async (chosen: readonly File[]) => {
    setFault(undefined)
    for (const file of chosen) {
      const picture = file.type === pdf ? undefined : await shrinkPage(file)
      const blob = file.type === pdf ? file : picture
      const type = types.find(name => name === blob?.type)
      if (!blob || !type) setFault('wrong')
      else if (blob.size > mostBytes) setFault('tooLarge')
      else setFiles(was => [...was, { name: file.name.slice(-100), type, file: blob }].slice(0, mostFiles))
    }
  }
  const send = async () => {
    const sent: { upload: string; name: string }[] = []
    for (const chosen of files) {
      let { upload } = chosen
      if (upload === undefined) {
        try {
          const form = await call('personal/request/upload', { type: chosen.type })
          await sendFile(form, chosen.file)
          upload = form.upload
        } catch (error) {
          if (isFault(error) && error.code !== 101 && error.code !== 502) setFault('failed')
          throw error
        }
        const found = upload
        setFiles(was => was.map(one => (one.file === chosen.file ? { ...one, upload: found } : one)))
      }
      sent.push({ upload, name: chosen.name })
    }
    return sent.length > 0 ? { attachments: sent } : {}
  }
  return {
    files,
    fault,
    add,
    send,
    remove: (file: Blob) => {
      setFault(undefined)
      setFiles(was => was.filter(one => one.file !== file))
    },
    isChanged: files.length > 0,
  }
}

/** Pictures and papers that say why; a picture is made as small as one can still read it. */
export function AttachmentField(props: {
  attachments: ReturnType<typeof useAttachments>
  /** What the answer found wrong with one of them. */
  error?: string | undefined
}) {
  const { t } = useTranslation(['request', 'shell'])
  const { files, fault, add, remove } = props.attachments
  return (
    <Field
      label={t('attachment.label')}
      optional
      error={fault ? t(`attachment.${fault}`) : props.error}
      hint={t('attachment.hint')}
    >
      {ids => (
        <div className="attachments">
          {files.length > 0 && (
            <ul>
              {files.map(({ name, type, file }) => (
                <li key={`${name} ${file.size}`}>
                  {type === pdf ? (
                    <FileText className="icon" aria-hidden="true" />
                  ) : (
                    <Image className="icon" aria-hidden="true" />
                  )}
                  <span>{name}</span>
                  <Button
                    look="quiet"
                    square
                    aria-label={t('shell:remove', { name })}
                    icon={<X className="icon" />}
                    onClick={() => remove(file)}
                  />
                </li>
              ))}
            </ul>
          )}
          <input
            {...ids}
            className="unseen"
            type="file"
            multiple
            accept={types.join()}
            disabled={files.length >= mostFiles}
            onChange={event => {
              void add([...(event.target.files ?? [])])
              // The same file may be chosen again.
              event.target.value = ''
            }}
          />
          {files.length < mostFiles && (
            <label className="button" htmlFor={ids.id}>
              {t('attachment.add')}
            </label>
          )}
        </div>
      )}
    </Field>
  )
}
