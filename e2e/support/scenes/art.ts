import sharp from 'sharp';

const SIDE = 480;

/** A number between 0 and 1 that is determined by the piece and its use. */
function chance(piece: number, place: number): number {
  const wave = Math.sin(piece * 127.1 + place * 311.7) * 43_758.5453;
  return wave - Math.floor(wave);
}

const skies = [
  { name: 'Dusk', top: '#2b1b3d', low: '#c8663a', sea: '#1d2a44' },
  { name: 'Dawn', top: '#27406b', low: '#f0b98d', sea: '#2f4d63' },
  { name: 'Night', top: '#0b1020', low: '#243a5e', sea: '#0c1626' },
  { name: 'Storm', top: '#22282d', low: '#7d8b8c', sea: '#1f2d33' },
] as const;

/** One picture of the series: a moon over the sea. */
export interface Artwork {
  readonly sky: string;
  readonly moon: string;
  readonly waves: string;
  readonly png: Buffer;
}

/** The picture with this number, always the same. */
export async function artwork(piece: number): Promise<Artwork> {
  const sky = skies[Math.floor(chance(piece, 1) * skies.length)] ?? skies[0];
  const radius = 42 + chance(piece, 2) * 70;
  const moon = radius > 95 ? 'Great' : radius > 65 ? 'Full' : 'Small';
  const [x, y] = [110 + chance(piece, 3) * 260, 90 + chance(piece, 4) * 130];
  const lines = 3 + Math.floor(chance(piece, 5) * 6);
  const swell = 6 + chance(piece, 6) * 16;
  const metal = ['#e2a15f', '#f4e3c3', '#c96f35', '#d9dde3'][Math.floor(chance(piece, 7) * 4)];
  const waves = Array.from({ length: lines }, (_, line) => {
    const at = 310 + (line * 165) / lines;
    const turn = chance(piece, 20 + line) * 160;
    const points = Array.from({ length: 13 }, (_unused, step) => {
      const across = step * 40;
      return `${across},${at + Math.sin((across + turn) / 46) * swell * (0.3 + line / lines)}`;
    });
    return `<polyline points="${points.join(' ')}" fill="none" stroke="${metal}" stroke-opacity="${0.22 + (line / lines) * 0.5}" stroke-width="${1.5 + line * 0.7}"/>`;
  });
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${SIDE}" height="${SIDE}" viewBox="0 0 ${SIDE} ${SIDE}">
    <defs><linearGradient id="sky" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="${sky.top}"/><stop offset="1" stop-color="${sky.low}"/></linearGradient></defs>
    <rect width="${SIDE}" height="${SIDE}" fill="url(#sky)"/>
    <circle cx="${x}" cy="${y}" r="${radius + 16}" fill="${metal}" fill-opacity="0.16"/>
    <circle cx="${x}" cy="${y}" r="${radius}" fill="${metal}"/>
    <circle cx="${x + radius * 0.3}" cy="${y - radius * 0.2}" r="${radius * 0.16}" fill="${sky.top}" fill-opacity="0.22"/>
    <circle cx="${x - radius * 0.35}" cy="${y + radius * 0.25}" r="${radius * 0.22}" fill="${sky.top}" fill-opacity="0.16"/>
    <rect y="296" width="${SIDE}" height="${SIDE - 296}" fill="${sky.sea}"/>
    ${waves.join('')}</svg>`;
  const png = await sharp(Buffer.from(svg)).png().toBuffer();
  return { sky: sky.name, moon, waves: lines > 6 ? 'Many' : lines > 4 ? 'Some' : 'Few', png };
}
