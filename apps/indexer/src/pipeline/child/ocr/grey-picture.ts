import sharp from 'sharp';
import type { Sharp } from 'sharp';

/** One byte a pixel, rows without padding; black letters on white. */
export interface GreyPicture {
  pixels: Buffer;
  width: number;
  height: number;
}

/** As it is decoded, without transparency. */
export async function toGrey(image: Sharp): Promise<GreyPicture> {
  const { data, info } = await image
    .flatten({ background: 'white' })
    .greyscale()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { pixels: firstOf(data, info.channels), width: info.width, height: info.height };
}

/** Turned clockwise; what shows up at the corners is white, and the picture grows to hold all of it. */
export async function turned(picture: GreyPicture, degrees: number): Promise<GreyPicture> {
  return degrees === 0 ? picture : toGrey(open(picture).rotate(degrees, { background: 'white' }));
}

/** At most `side` pixels long. */
export async function shrunk(picture: GreyPicture, side: number): Promise<GreyPicture> {
  if (Math.max(picture.width, picture.height) <= side) return picture;
  return toGrey(open(picture).resize({ width: side, height: side, fit: 'inside' }));
}

function open({ pixels, width, height }: GreyPicture): Sharp {
  return sharp(pixels, { raw: { width, height, channels: 1 } });
}

/** Some operations answer grey pictures with three equal channels. */
function firstOf(data: Buffer, channels: number): Buffer {
  if (channels === 1) return data;
  const pixels = Buffer.alloc(data.length / channels);
  for (let at = 0; at < pixels.length; at += 1) pixels[at] = data[at * channels] ?? 255;
  return pixels;
}
