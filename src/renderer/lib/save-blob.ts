/**
 * Hands bytes to the person as a file. They keep no type of their own, so that no browser opens what somebody else wrote.
 * @param fileName what the file is called
 */
export function saveBlob(fileName: string, blob: Blob): void {
  const url = URL.createObjectURL(new Blob([blob], { type: 'application/octet-stream' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  // The browser reads the address after the click has returned.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
