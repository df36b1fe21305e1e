/**
 * Renders the icons of the tray into resources/tray: `node scripts/tray-icons.ts`. The coin of the application with a mark for each state, in
 * colour, and in black for macOS, which colours them itself (its `Template` names say so).
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { root } from './paths.ts';

const marks = {
  running: '',
  working: '<path d="M21 19v9l8-4.5z" fill="MARK"/>',
  problem: '<path d="M24 18h3v7h-3zm0 9h3v3h-3z" fill="MARK"/>',
  locked:
    '<path d="M20 23h10v8H20z" fill="MARK"/><path d="M22 23v-2a3 3 0 0 1 6 0v2" fill="none" stroke="MARK" stroke-width="2"/>',
} as const;
const colours = { running: '', working: '#7cc4ff', problem: '#ff8a80', locked: '#ffe082' } as const;

function drawing(state: keyof typeof marks, template: boolean): string {
  const ink = template ? '#000' : '#e0a06a';
  const hole = state === 'running' ? '' : '<circle cx="25" cy="24.500" r="8.500" fill="#000"/>';
  const mark = marks[state].replaceAll('MARK', template ? '#000' : colours[state]);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
    <mask id="m"><rect width="32" height="32" fill="#fff"/>${hole}</mask>
    <g mask="url(#m)"><circle cx="16" cy="16" r="13.500" fill="none" stroke="${ink}" stroke-width="2.500"/>
    <circle cx="16" cy="16" r="8.500" fill="${ink}"/></g>${mark}</svg>`;
}

const folder = join(root, 'resources/tray');
mkdirSync(folder, { recursive: true });
for (const state of Object.keys(marks) as (keyof typeof marks)[]) {
  for (const template of [false, true]) {
    for (const scale of [1, 2]) {
      const name = `${state}${template ? 'Template' : ''}${scale === 2 ? '@2x' : ''}.png`;
      const size = (template ? 16 : 24) * scale;
      await sharp(Buffer.from(drawing(state, template)), { density: 300 })
        .resize(size, size)
        .png()
        .toFile(join(folder, name));
    }
  }
}
