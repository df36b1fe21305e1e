import { useEffect, useState } from 'react';

/**
 * An object URL for bytes, revoked when they are no longer shown.
 * @param type the type of the bytes, whatever they claim
 * @returns null until it is created
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
