import moon from '../../../../resources/samples/copper-moon.png?inline';
import haiku from '../../../../resources/samples/haiku.txt?raw';
import tide from '../../../../resources/samples/tide.svg?raw';

function bytesOf(dataUrl: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(dataUrl.slice(dataUrl.indexOf(',') + 1)), (letter) => letter.charCodeAt(0));
}

/** Sample files to try a mint with. They are part of the program, so nothing is requested. */
export function sampleArt(): File[] {
  return [
    new File([bytesOf(moon)], 'copper-moon.png', { type: 'image/png' }),
    new File([tide], 'tide.svg', { type: 'image/svg+xml' }),
    new File([haiku], 'haiku.txt', { type: 'text/plain' }),
  ];
}
