import { type KeyboardEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNetwork } from '../../../api/live/live-store.ts';
import { offerUndo } from '../../../components/toasts/undo.ts';
import { usePreferences } from '../../../lib/preferences.ts';
import { newestFirst } from '../../../lib/recent.ts';

const KEPT = 200;
/** Wallet commands that take a passphrase or a key. Their lines are not stored. */
const SECRET =
  /^(?:authenticate|encryptwallet|import|sethdseed|signmessagewithprivkey|signrawtransaction|walletpassphrase)/i;
const NONE: readonly string[] = [];

/** Earlier lines on this network. The arrow keys move through them and back to the line being typed. */
export function useHistory(line: string, show: (line: string) => void) {
  const { t } = useTranslation();
  const network = useNetwork();
  const lines = usePreferences((state) => state.consoleLines[network]) ?? NONE;
  const save = usePreferences((state) => state.setConsoleLines);
  const [at, setAt] = useState(-1);
  const [typed, setTyped] = useState('');
  return {
    lines,
    remember: (ran: string): void => {
      setAt(-1);
      if (SECRET.test(ran)) return;
      save(network, newestFirst([ran], lines, KEPT));
    },
    forget: (): void => {
      save(network, []);
      const undo = (): void => {
        const since = usePreferences.getState().consoleLines[network] ?? NONE;
        save(network, newestFirst(since, lines, KEPT));
      };
      offerUndo({ id: 'console-forgotten', title: t('gateway.forgotten'), undo });
    },
    onArrow: (event: KeyboardEvent): void => {
      event.preventDefault();
      const next = event.key === 'ArrowUp' ? Math.min(lines.length - 1, at + 1) : Math.max(-1, at - 1);
      if (next === at) return;
      if (at === -1) setTyped(line);
      setAt(next);
      show(next === -1 ? typed : (lines[next] ?? ''));
    },
  };
}
