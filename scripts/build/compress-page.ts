import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { root } from '../paths.ts';

/** Fonts and pictures are compressed already, and the page itself gets a nonce when it is sent. */
const COMPRESSED = /\.(?:js|css|svg|json)$/;
/** Below this size the headers outweigh the saving. */
const MIN_BYTES = 200;

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

/** Writes `.br` and `.gz` next to every text of a folder that compresses well. The console sends the one that the browser accepts. */
async function compressFolder(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => COMPRESSED.test(name));
  await Promise.all(
    names.map(async (name) => {
      const file = join(folder, name);
      const bytes = await readFile(file);
      if (bytes.length < MIN_BYTES) return;
      const quality = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
      await Promise.all([
        brotli(bytes, { params: quality }).then((packed) => writeWhole(`${file}.br`, packed)),
        zip(bytes, { level: constants.Z_BEST_COMPRESSION }).then((packed) => writeWhole(`${file}.gz`, packed)),
      ]);
    }),
  );
}

/** The page may be served meanwhile: a file of that name is complete. */
async function writeWhole(file: string, bytes: Uint8Array): Promise<void> {
  await writeFile(`${file}.part`, bytes);
  await rename(`${file}.part`, file);
}

await compressFolder(join(root, 'out', 'renderer', 'assets'));
