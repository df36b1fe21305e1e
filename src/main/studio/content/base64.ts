/** The file of which a content is the base64 text, as some token services inscribe it; undefined where it is no such text. */
export function decodedBase64(content: Uint8Array): Uint8Array | undefined {
  const text = Buffer.from(content).toString('latin1');
  const decoded = Buffer.from(text, 'base64');
  return decoded.length > 0 && decoded.toString('base64') === text ? decoded : undefined;
}
