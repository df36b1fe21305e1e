/** Folder names that tools use: they say nothing about the art. */
const toolFolders = new Set(['art', 'assets', 'build', 'dist', 'images', 'imported', 'json', 'metadata', 'output']);

export function isToolFolder(name: string): boolean {
  return toolFolders.has(name.toLowerCase());
}

// takes quadratic time for long runs of digits, so names are cut to 200 characters
const numbered = /^(.*?)(?:[\s_-]+(?:nr|no|num|n[°º]|№)[.:]?)?[\s#_-]*\d+$/isu;

/** What most of the names begin with where each ends in a number: `Moons` of `Moons #1` and `Moons No. 2`; empty where they share nothing. */
export function sharedName(names: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const name of names) {
    const start = numbered.exec(name.trim().slice(0, 200))?.[1] ?? '';
    if (start !== '') counts.set(start, (counts.get(start) ?? 0) + 1);
  }
  for (const [start, count] of counts) if (count > 1 && count > names.length / 2) return start;
  return '';
}
