import type { MinerKind } from '../../../contract/index.ts';
import { arc } from './arc/arc.ts';
import { arcade } from './arcade/arcade.ts';
import { mapi } from './mapi/mapi.ts';
import type { MinerProtocol } from './protocol.ts';

/** The APIs of miners that are spoken here. */
export const protocols: Readonly<Record<MinerKind, MinerProtocol>> = { mapi, arc, arcade };
