import { described, type ShellLogger } from '../shell-logger.ts';
import type { HostLink } from './host-link.ts';

/**
 * Refuses what other programs and web pages ask for. The host does it by itself when the last page closes, but the shell, which follows its
 * events, counts as one. What waits in a journal for approval needs the person anyway, and waits on.
 */
export async function denyAll(link: HostLink, logger: ShellLogger): Promise<void> {
  const denied = async (deny: () => Promise<void>): Promise<void> => {
    try {
      await deny();
    } catch (error) {
      logger.warn(described(error), 'what waited for approval could not be refused');
    }
  };
  await denied(async () => {
    for (const { id } of (await link.client.approvals.list()).waiting) await link.client.approvals.deny({ id });
  });
  await denied(async () => {
    const { origins } = link.client.gateway;
    for (const { id } of await origins.requests()) await origins.decide({ id, allow: false });
  });
}
