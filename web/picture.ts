/** The largest displayed size of a face. */
const mostPixels = 640
/** Three times the displayed 120 pixels, for dense screens. */
const mostLogoPixels = 360
/** The size at which a photographed sheet of paper is readable. */
const mostPagePixels = 2000

/**
 * Draws a chosen picture upright, at most `most` pixels wide and high. Undefined if the browser cannot read the file.
 */
const draw = async (file: Blob, most: number, background?: string) => {
  const picture = await createImageBitmap(file).catch(() => undefined)
  if (!picture) return undefined
  const scale = Math.min(1, most / Math.max(picture.width, picture.height))
  const width = Math.ceil(picture.width * scale)
  const height = Math.ceil(picture.height * scale)
  const canvas = new OffscreenCanvas(width, height)
  const context = canvas.getContext('2d')
  if (!context) return undefined
  if (background) {
    context.fillStyle = background
    context.fillRect(0, 0, width, height)
  }
  context.drawImage(picture, 0, 0, width, height)
  picture.close()
  return canvas
}

/**
 * A photo as a JPEG on white, because JPEG has no transparency. The result is upright and has no camera metadata.
 * Undefined if the browser cannot read the file.
 */
export const shrinkPicture = async (file: Blob): Promise<Blob | undefined> =>
  (await draw(file, mostPixels, 'white'))?.convertToBlob({ type: 'image/jpeg', quality: 0.85 })

/** A photographed page as a JPEG that is small enough to send. Undefined if the browser cannot read the file. */
export const shrinkPage = async (file: Blob): Promise<Blob | undefined> =>
  (await draw(file, mostPagePixels, 'white'))?.convertToBlob({ type: 'image/jpeg', quality: 0.8 })

/** A logo as a PNG with transparency, sharp on dense screens. Undefined if the browser cannot read the file. */
export const shrinkLogo = async (file: Blob): Promise<Blob | undefined> =>
  (await draw(file, mostLogoPixels))?.convertToBlob({ type: 'image/png' })
