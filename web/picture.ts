/** Larger than a face is ever shown. */
const mostPixels = 640
/** Three times the 120 it is shown in. */
const mostLogoPixels = 360
/** A page of paper that was photographed can still be read. */
const mostPagePixels = 2000

/** The canvas of a picture somebody chose, upright and no larger than it is shown; undefined where it cannot be read. */
const draw = async (file: Blob, most: number, ground?: string) => {
  const picture = await createImageBitmap(file).catch(() => undefined)
  if (!picture) return undefined
  const scale = Math.min(1, most / Math.max(picture.width, picture.height))
  const width = Math.ceil(picture.width * scale)
  const height = Math.ceil(picture.height * scale)
  const canvas = new OffscreenCanvas(width, height)
  const paper = canvas.getContext('2d')
  if (!paper) return undefined
  if (ground) {
    paper.fillStyle = ground
    paper.fillRect(0, 0, width, height)
  }
  paper.drawImage(picture, 0, 0, width, height)
  picture.close()
  return canvas
}

/**
 * A photo as a JPEG, which knows nothing transparent. What the camera wrote about it, which way is up included, is applied
 * here and lost.
 */
export const shrinkPicture = async (file: Blob): Promise<Blob | undefined> =>
  (await draw(file, mostPixels, 'white'))?.convertToBlob({ type: 'image/jpeg', quality: 0.85 })

/** A photographed page as a JPEG that may be sent. */
export const shrinkPage = async (file: Blob): Promise<Blob | undefined> =>
  (await draw(file, mostPagePixels, 'white'))?.convertToBlob({ type: 'image/jpeg', quality: 0.8 })

/** A logo as a PNG, with what is transparent in it, sharp on every screen at the size it is shown in. */
export const shrinkLogo = async (file: Blob): Promise<Blob | undefined> =>
  (await draw(file, mostLogoPixels))?.convertToBlob({ type: 'image/png' })
