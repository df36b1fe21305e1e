import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';

/** Sizes of the pictures in an ICO file, in pixels; Windows uses the closest. */
const ICO_SIZES = [16, 24, 32, 48, 64, 128, 256];
/** Types of the pictures in an ICNS file and their pixels, in PNG. From Apple's list of icon types. */
const ICNS_TYPES: readonly (readonly [string, number])[] = [
  ['icp4', 16],
  ['icp5', 32],
  ['ic11', 32],
  ['ic12', 64],
  ['ic07', 128],
  ['ic13', 256],
  ['ic08', 256],
  ['ic14', 512],
  ['ic09', 512],
  ['ic10', 1024],
];
/** Sizes that Linux desktops use, in pixels. */
const PNG_SIZES = [16, 24, 32, 48, 64, 128, 256, 512];

/**
 * Renders the program's icon in the format of each system: `icon.ico`, `icon.icns` and `png/<n>x<n>.png`.
 * @param svg the drawing
 * @param dir output folder
 */
export async function writeIcons(svg: string, dir: string): Promise<void> {
  const drawn = new Map<number, Buffer>();
  const png = async (size: number): Promise<Buffer> => {
    const known = drawn.get(size);
    if (known !== undefined) return known;
    const picture = await sharp(svg, { density: (72 * size) / 512 })
      .resize(size, size)
      .png()
      .toBuffer();
    drawn.set(size, picture);
    return picture;
  };
  mkdirSync(join(dir, 'png'), { recursive: true });
  for (const size of PNG_SIZES) writeFileSync(join(dir, 'png', `${size}x${size}.png`), await png(size));
  writeFileSync(join(dir, 'icon.ico'), ico(await Promise.all(ICO_SIZES.map(async (size) => [size, await png(size)]))));
  writeFileSync(
    join(dir, 'icon.icns'),
    icns(await Promise.all(ICNS_TYPES.map(async ([type, size]) => [type, await png(size)]))),
  );
}

/** A directory of pictures, then the pictures; 0 stands for 256 pixels. */
function ico(pictures: readonly (readonly [number, Buffer])[]): Buffer {
  const head = Buffer.alloc(6 + 16 * pictures.length);
  head.writeUInt16LE(1, 2);
  head.writeUInt16LE(pictures.length, 4);
  let offset = head.length;
  for (const [index, [size, { length }]] of pictures.entries()) {
    const at = 6 + 16 * index;
    head.writeUInt8(size % 256, at);
    head.writeUInt8(size % 256, at + 1);
    head.writeUInt16LE(1, at + 4);
    head.writeUInt16LE(32, at + 6);
    head.writeUInt32LE(length, at + 8);
    head.writeUInt32LE(offset, at + 12);
    offset += length;
  }
  return Buffer.concat([head, ...pictures.map(([, picture]) => picture)]);
}

/** Each picture with its type and length, after the header of the file. */
function icns(pictures: readonly (readonly [string, Buffer])[]): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const head = Buffer.alloc(8);
    head.write(type, 'latin1');
    head.writeUInt32BE(data.length + 8, 4);
    return Buffer.concat([head, data]);
  };
  return chunk('icns', Buffer.concat(pictures.map(([type, picture]) => chunk(type, picture))));
}
