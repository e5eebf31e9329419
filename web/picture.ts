/** Larger than a face is ever shown. */
const mostPixels = 640

/**
 * A picture somebody chose, upright and no larger than it is shown, as a JPEG; undefined where the browser cannot read it.
 * What the camera wrote about it, which way is up included, is applied here and lost.
 */
export const shrinkPicture = async (file: Blob): Promise<Blob | undefined> => {
  const picture = await createImageBitmap(file).catch(() => undefined)
  if (!picture) return undefined
  const scale = Math.min(1, mostPixels / Math.max(picture.width, picture.height))
  const width = Math.ceil(picture.width * scale)
  const height = Math.ceil(picture.height * scale)
  const canvas = new OffscreenCanvas(width, height)
  const paper = canvas.getContext('2d')
  if (!paper) return undefined
  // A JPEG knows nothing transparent.
  paper.fillStyle = 'white'
  paper.fillRect(0, 0, width, height)
  paper.drawImage(picture, 0, 0, width, height)
  picture.close()
  return canvas.convertToBlob({ type: 'image/jpeg', quality: 0.85 })
}
