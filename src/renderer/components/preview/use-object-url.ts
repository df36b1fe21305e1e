import { useEffect, useState } from 'react';

/**
 * An address under which the page can show bytes, until they are shown no more.
 * @param type what the bytes are taken for, whatever they claim
 * @returns null until it is made
 */
export function useObjectUrl(blob: Blob, type: string): string | null {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    // A slice has a type of its own and copies no bytes.
    const made = URL.createObjectURL(blob.slice(0, blob.size, type));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [blob, type]);
  return url;
}
