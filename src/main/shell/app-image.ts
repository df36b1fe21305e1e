/**
 * Path of the AppImage a program runs from, or undefined. A program that an AppImage has started, such as a terminal, inherits the same
 * variables, so the program must lie in the mounted image.
 */
export function appImageOf(
  executable: string,
  { APPIMAGE: path, APPDIR: mounted }: NodeJS.ProcessEnv,
): string | undefined {
  return path && mounted && executable.startsWith(`${mounted}/`) ? path : undefined;
}
