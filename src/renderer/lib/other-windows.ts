interface Stored {
  /** Missing if the browser forbids storage. */
  readonly persist?: { getOptions(): { name?: string | undefined }; rehydrate(): unknown };
}

/** Takes over what another window of this browser stores. Each write contains the whole store, so an older one would undo that. */
export function followOtherWindows({ persist }: Stored): void {
  if (persist === undefined) return;
  const { name } = persist.getOptions();
  addEventListener('storage', ({ key }) => {
    if (key === name) void persist.rehydrate();
  });
}
