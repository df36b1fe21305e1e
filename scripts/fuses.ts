/**
 * `npm run fuses -- PROGRAM`: reads the fuses of a packed program and compares them with the required ones. Exit code 1 if one differs.
 * On macOS PROGRAM is the `.app`.
 */
import { FuseState, FuseV1Options, FuseVersion, getCurrentFuseWire } from '@electron/fuses';

/** Every fuse of Electron, so that a new one has to be decided on. */
const wanted: Readonly<Record<FuseV1Options, boolean>> = {
  [FuseV1Options.RunAsNode]: false,
  [FuseV1Options.EnableCookieEncryption]: true,
  [FuseV1Options.EnableNodeOptionsEnvironmentVariable]: false,
  [FuseV1Options.EnableNodeCliInspectArguments]: false,
  [FuseV1Options.EnableEmbeddedAsarIntegrityValidation]: true,
  [FuseV1Options.OnlyLoadAppFromAsar]: true,
  [FuseV1Options.LoadBrowserProcessSpecificV8Snapshot]: false,
  [FuseV1Options.GrantFileProtocolExtraPrivileges]: false,
  // The default of Electron: WebAssembly is checked by hardware traps.
  [FuseV1Options.WasmTrapHandlers]: true,
};

/**
 * Compares the fuses of a program with the required ones.
 * @param program Electron's program, or the `.app` on macOS
 * @returns one line for each fuse that differs, is missing or is new
 * @throws Error if the program has no fuses
 */
export async function fuseFaults(program: string): Promise<string[]> {
  const wire = await getCurrentFuseWire(program);
  const faults = wire.version === FuseVersion.V1 ? [] : [`the fuses have version ${wire.version}, which is not known`];
  const found = Object.keys(wire)
    .filter((key) => /^\d+$/.test(key))
    .map(Number);
  for (const [key, on] of Object.entries(wanted)) {
    const state = wire[Number(key) as FuseV1Options];
    if (state !== (on ? FuseState.ENABLE : FuseState.DISABLE)) {
      faults.push(
        `${FuseV1Options[Number(key)]} is ${state === undefined ? 'missing' : stateName(state)}, not ${on ? 'on' : 'off'}`,
      );
    }
  }
  for (const key of found) if (!(key in wanted)) faults.push(`fuse ${key} is new: decide on it`);
  return faults;
}

function stateName(state: FuseState): string {
  return {
    [FuseState.DISABLE]: 'off',
    [FuseState.ENABLE]: 'on',
    [FuseState.REMOVED]: 'removed',
    [FuseState.INHERIT]: 'inherited',
  }[state];
}

if (import.meta.main) {
  const program = process.argv[2];
  if (program === undefined) {
    console.error('Name the packed program: npm run fuses -- dist/packages/linux-unpacked/planchet');
    process.exit(2);
  }
  const faults = await fuseFaults(program);
  console.log(faults.length === 0 ? `The ${Object.keys(wanted).length} fuses are as they must be.` : faults.join('\n'));
  process.exitCode = faults.length === 0 ? 0 : 1;
}
