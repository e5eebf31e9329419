import { FileText, Image, X } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { imageTypes } from '../../../shared/image.ts'
import { call, isFault } from '../../api.ts'
import { shrinkPage } from '../../picture.ts'
import { sendFile } from '../../send-file.ts'
import { Button } from '../button.tsx'
import { Field } from './field.tsx'

/** The most attachments of a request. */
const mostFiles = 5
const mostBytes = 2 * 1024 * 1024
const pdf = 'application/pdf'
const types = [...imageTypes, pdf] as const
type FileType = (typeof types)[number]

/** A chosen file in its upload format. */
interface Chosen {
  name: string
  type: FileType
  file: Blob
  /** The id of the finished upload. After a refused request, a retry does not upload the file again. */
  upload?: string
}

/** The attachments of a request form. `send` uploads the new files, and returns all attachments. */
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
      else setFiles(previous => [...previous, { name: file.name.slice(-100), type, file: blob }].slice(0, mostFiles))
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
        const finished = upload
        setFiles(previous => previous.map(file => (file.file === chosen.file ? { ...file, upload: finished } : file)))
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
      setFiles(previous => previous.filter(chosen => chosen.file !== file))
    },
    isChanged: files.length > 0,
  }
}

/** The field for pictures and documents that support a request. Shrinks pictures to a size that stays readable. */
export function AttachmentField(props: {
  attachments: ReturnType<typeof useAttachments>
  /** The server's error about an attachment. */
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
              // Without the reset, the browser would not report the same file again.
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
