import type { Settings } from '../../contract/index.ts';
import type { SettingsView } from '../ports/settings.ts';

/** Settings with port 0 for the sandbox's servers, so that a command does not take the ports of a running application. */
export function withEphemeralPorts(settings: SettingsView): SettingsView {
  const ephemeral = (current: Settings): Settings => ({
    ...current,
    sandbox: { ...current.sandbox, bind: '127.0.0.1:0', zmqAddress: 'tcp://127.0.0.1:0' },
  });
  return {
    current: () => ephemeral(settings.current()),
    onChange: (listener) => settings.onChange((current, changed) => listener(ephemeral(current), changed)),
  };
}
