/**
 * Downloads bytes as a file. The type is removed, so that no browser opens content written by somebody else.
 * @param fileName what the file is called
 */
export function saveBlob(fileName: string, blob: Blob): void {
  const url = URL.createObjectURL(new Blob([blob], { type: 'application/octet-stream' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  // The browser reads the URL after the click has returned.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
