import { useMemo } from 'react';
import { encode } from 'uqr';

/** Width of the quiet zone in modules, as the standard requires. */
const QUIET = 4;

/** One path for all dark modules of a code. Adjacent modules of a row are joined. */
function pathOf(rows: readonly (readonly boolean[])[]): string {
  let path = '';
  rows.forEach((row, y) => {
    for (let x = 0; x < row.length; x++) {
      if (!row[x]) continue;
      const start = x;
      while (row[x + 1]) x++;
      path += `M${start} ${y}h${x - start + 1}v1H${start}z`;
    }
  });
  return path;
}

/** A text as a QR code. It is dark on white in every colour scheme, since many scanners read nothing else. */
export function QrCode({ text, label, size = 224 }: { text: string; label: string; size?: number }) {
  const { path, width } = useMemo(() => {
    const { data, size: modules } = encode(text, { ecc: 'M', border: QUIET });
    return { path: pathOf(data), width: modules };
  }, [text]);
  return (
    <svg
      role="img"
      aria-label={label}
      data-text={text}
      width={size}
      height={size}
      viewBox={`0 0 ${width} ${width}`}
      shapeRendering="crispEdges"
      style={{ background: '#fff', borderRadius: 8, flex: 'none' }}
    >
      <path d={path} fill="#000" />
    </svg>
  );
}
