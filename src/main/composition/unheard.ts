import type { Settings } from '../../contract/index.ts';
import type { SettingsView } from '../ports.ts';

/** Settings under which the sandbox listens where nobody looks: the ports a user chose stay free for a host that serves. */
export function unheard(settings: SettingsView): SettingsView {
  const quiet = (current: Settings): Settings => ({
    ...current,
    sandbox: { ...current.sandbox, bind: '127.0.0.1:0', zmqAddress: 'tcp://127.0.0.1:0' },
  });
  return {
    current: () => quiet(settings.current()),
    onChange: (listener) => settings.onChange((current, changed) => listener(quiet(current), changed)),
  };
}
