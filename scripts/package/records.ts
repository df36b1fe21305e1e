import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Lists every package in a packed application in the CycloneDX format, using `npm sbom` on the folder.
 * @param app folder of the application
 * @returns the document as text
 */
export function billOfMaterials(app: string): string {
  // The npm that started this process, since on Windows `npm` is a shell script.
  const npm = process.env.npm_execpath;
  const [program, ...first] = npm === undefined ? ['npm'] : [process.execPath, npm];
  return execFileSync(
    program as string,
    [...first, 'sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--loglevel=error'],
    { cwd: app, encoding: 'utf8', maxBuffer: 64 << 20 },
  );
}

/** Writes `SHA256SUMS` for all files of a folder, in the form that `sha256sum --check` reads. */
export async function writeChecksums(dir: string): Promise<void> {
  const names = readdirSync(dir, { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'SHA256SUMS' && entry.name !== 'builder-debug.yml')
    .map(({ name }) => name)
    .sort();
  const lines: string[] = [];
  for (const name of names) {
    const hash = createHash('sha256');
    for await (const chunk of createReadStream(join(dir, name))) hash.update(chunk as Buffer);
    lines.push(`${hash.digest('hex')}  ${name}\n`);
  }
  writeFileSync(join(dir, 'SHA256SUMS'), lines.join(''));
}
